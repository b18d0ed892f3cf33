import type { MetricDefinition } from '@fairlead/control';

export const watchEventsTotal: MetricDefinition = {
  name: 'fairlead_kube_watch_events_total',
  kind: 'counter',
  help: 'Events received from the API server, bookmarks included.',
  labels: ['cache'],
};

export const listsTotal: MetricDefinition = {
  name: 'fairlead_kube_lists_total',
  kind: 'counter',
  help: 'Complete lists read from the API server: one at the start, and one each time a watch could not go on.',
  labels: ['cache', 'mode'],
};

export const watchFailuresTotal: MetricDefinition = {
  name: 'fairlead_kube_watch_failures_total',
  kind: 'counter',
  help: 'Lists and watches that failed and were tried again, by the stable code of the error.',
  labels: ['cache', 'code'],
};

/** Every metric of lists and watches. */
export const watchMetrics: readonly MetricDefinition[] = [watchEventsTotal, listsTotal, watchFailuresTotal];
