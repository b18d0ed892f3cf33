import { type Condition, events, type KubeClient, type KubeEvent, type Service, services } from '@fairlead/kube';
import type { Explanation, Subject } from '@fairlead/part';

const MOST_EVENTS = 10;

/** What an object tells by itself, for who may read no more than its namespace; undefined when there is none. */
export async function seenObject(
  client: Pick<KubeClient, 'find' | 'list'>,
  { kind, namespace = '', name }: Subject,
  signal: AbortSignal,
): Promise<Explanation | undefined> {
  if (kind !== 'service') return undefined;
  const service = await client.find(services, { namespace, name }, { signal });
  if (service === undefined) return undefined;
  const told = await eventsOf(client, service, signal);
  const addresses = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
  const conditions = (service.status?.conditions ?? []).map(conditionText);
  return {
    answer: `Service ${namespace}/${name} shows ${addresses.length === 0 ? 'no address' : addresses.join(' and ')}.`,
    state: addresses.length === 0 ? 'working' : 'as-wanted',
    wanted: [],
    there: [...conditions, ...told],
  };
}

async function eventsOf(
  client: Pick<KubeClient, 'list'>,
  { metadata: { namespace = '', uid } }: Service,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const { items } = await client.list(events, { namespace, signal });
    return items
      .filter(({ regarding }) => regarding.uid === uid)
      .toSorted((left, right) => (lastTime(left) < lastTime(right) ? -1 : 1))
      .slice(-MOST_EVENTS)
      .map((event) => `Event ${lastTime(event)} ${event.reason}: ${event.note ?? ''}`);
  } catch {
    signal.throwIfAborted();
    return ['its Events may not be read'];
  }
}

/** When an Event was seen last. */
export function lastTime({ series, eventTime, metadata }: KubeEvent): string {
  return series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp ?? '';
}

function conditionText({ type, status, reason, message }: Condition): string {
  return `condition ${type} is ${status} (${reason}): ${message}`;
}
