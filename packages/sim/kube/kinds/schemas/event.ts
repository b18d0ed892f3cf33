import { always, int32, microTime, struct, text, time } from '../../schema/schema.ts';
import { objectMeta, objectReference } from './meta.ts';

const eventSource = struct('EventSource', {
  component: text,
  host: text,
});

const eventSeries = struct('EventSeries', {
  count: int32,
  lastObservedTime: always(microTime),
});

export const event = struct('Event', {
  metadata: always(objectMeta),
  involvedObject: always(objectReference),
  reason: text,
  message: text,
  source: always(eventSource),
  firstTimestamp: always(time),
  lastTimestamp: always(time),
  count: int32,
  type: text,
  eventTime: always(microTime),
  series: eventSeries,
  action: text,
  related: objectReference,
  reportingComponent: always(text),
  reportingInstance: always(text),
});

const groupEventSeries = struct('EventSeries', {
  count: always(int32),
  lastObservedTime: always(microTime),
});

/** The same Events as the group events.k8s.io shows them. */
export const groupEvent = struct('Event', {
  metadata: always(objectMeta),
  eventTime: always(microTime),
  series: groupEventSeries,
  reportingController: text,
  reportingInstance: text,
  action: text,
  reason: text,
  regarding: always(objectReference),
  related: objectReference,
  note: text,
  type: text,
  deprecatedSource: always(eventSource),
  deprecatedFirstTimestamp: always(time),
  deprecatedLastTimestamp: always(time),
  deprecatedCount: int32,
});
