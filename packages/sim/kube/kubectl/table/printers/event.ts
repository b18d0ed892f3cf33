import { objectOf, textOf } from '../../../../json.ts';
import type { KubeObject } from '../../../object.ts';
import { ageOf } from '../age.ts';
import { column, NAME_COLUMN, type Printer, wide } from '../printer.ts';

function firstSeen({ firstTimestamp, eventTime }: KubeObject, now: number): string {
  return ageOf(firstTimestamp ?? eventTime, now);
}

function lastSeen(event: KubeObject, now: number): string {
  if (event.series !== undefined) return ageOf(objectOf(event.series).lastObservedTime, now);
  const last = event.lastTimestamp ?? null;
  return last === null ? firstSeen(event, now) : ageOf(last, now);
}

function countOf({ series, count = 0 }: KubeObject): number {
  const told = series === undefined ? count : objectOf(series).count;
  return typeof told === 'number' && (told > 0 || series !== undefined) ? told : 1;
}

function targetOf({ involvedObject }: KubeObject): string {
  const { kind, name } = objectOf(involvedObject);
  return [textOf(kind).toLowerCase(), textOf(name)].filter((part) => part !== '').join('/');
}

function sourceOf({ source, reportingComponent, reportingInstance }: KubeObject): string {
  const { component, host } = objectOf(source);
  const who = textOf(component) || textOf(reportingComponent);
  const where = textOf(host) || textOf(reportingInstance);
  return where === '' ? who : `${who}, ${where}`;
}

export const eventPrinter: Printer = {
  columns: [
    ...['Last Seen', 'Type', 'Reason', 'Object'].map((name) => column(name)),
    ...wide('Subobject', 'Source'),
    column('Message'),
    ...wide('First Seen', 'Count'),
    { ...NAME_COLUMN, priority: 1 },
  ],
  cells: (event, now) => [
    lastSeen(event, now),
    textOf(event.type),
    textOf(event.reason),
    targetOf(event),
    textOf(objectOf(event.involvedObject).fieldPath),
    sourceOf(event),
    textOf(event.message).trim(),
    firstSeen(event, now),
    countOf(event),
    event.metadata.name,
  ],
};
