import { isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf, valueAt } from '../../../../json.ts';
import type { KubeObject } from '../../../object.ts';
import { ageOf } from '../age.ts';
import { column, NAME_COLUMN, numberOf, orNone, type Printer, wide } from '../printer.ts';

/** What is told of the containers of a pod, gathered from one after the other. */
interface Tally {
  reason: string;
  ready: number;
  restarts: number;
  /** When a container last ended before it was started again; empty for never. */
  lastRestart: string;
}

function objectsAt(value: Json | undefined, ...path: readonly string[]): readonly JsonObject[] {
  return listOf(valueAt(value, ...path)).map(objectOf);
}

function stateOf(container: JsonObject, state: 'waiting' | 'running' | 'terminated'): JsonObject | undefined {
  const value = valueAt(container, 'state', state);
  return isJsonObject(value) ? value : undefined;
}

function hasCondition({ status }: KubeObject, wanted: string): boolean {
  return objectsAt(status, 'conditions').some(({ type, status }) => type === wanted && status === 'True');
}

function countRestarts(tally: Tally, container: JsonObject): void {
  tally.restarts += numberOf(container.restartCount);
  const ended = textOf(valueAt(container, 'lastState', 'terminated', 'finishedAt'));
  if (ended > tally.lastRestart) tally.lastRestart = ended;
}

function endReason({ reason, signal, exitCode }: JsonObject): string {
  if (textOf(reason) !== '') return textOf(reason);
  return numberOf(signal) !== 0 ? `Signal:${numberOf(signal)}` : `ExitCode:${numberOf(exitCode)}`;
}

/** An init container that goes on beside the others. */
function isSidecar(pod: KubeObject, name: Json | undefined): boolean {
  const container = objectsAt(pod.spec, 'initContainers').find((each) => each.name === name);
  return container?.restartPolicy === 'Always';
}

/** Goes through the init containers up to the first that is not done; true when there is one. */
function lookAtInitContainers(pod: KubeObject, tally: Tally, sidecars: Tally): boolean {
  for (const [index, container] of objectsAt(pod.status, 'initContainerStatuses').entries()) {
    const sidecar = isSidecar(pod, container.name);
    countRestarts(tally, container);
    if (sidecar) countRestarts(sidecars, container);
    const ended = stateOf(container, 'terminated');
    if (ended !== undefined && numberOf(ended.exitCode) === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready === true) sidecars.ready += 1;
      continue;
    }
    const waiting = textOf(stateOf(container, 'waiting')?.reason);
    const told = waiting !== '' && waiting !== 'PodInitializing' ? waiting : undefined;
    const progress = `${index}/${objectsAt(pod.spec, 'initContainers').length}`;
    tally.reason = `Init:${ended === undefined ? (told ?? progress) : endReason(ended)}`;
    return true;
  }
  return false;
}

function lookAtContainers(pod: KubeObject, tally: Tally): void {
  let running = false;
  let failure = '';
  for (const container of objectsAt(pod.status, 'containerStatuses').toReversed()) {
    countRestarts(tally, container);
    const waiting = textOf(stateOf(container, 'waiting')?.reason);
    const ended = stateOf(container, 'terminated');
    if (waiting !== '') tally.reason = waiting;
    else if (ended !== undefined) {
      tally.reason = endReason(ended);
      if (numberOf(ended.exitCode) !== 0) failure = tally.reason;
    } else if (container.ready === true && stateOf(container, 'running') !== undefined) {
      running = true;
      tally.ready += 1;
    }
  }
  if (tally.reason !== 'Completed') return;
  if (running && hasCondition(pod, 'Ready')) tally.reason = 'Running';
  else if (failure !== '') tally.reason = failure;
  else if (running) tally.reason = 'NotReady';
}

function tallyOf(pod: KubeObject): Tally {
  const status = objectOf(pod.status);
  const gated = objectsAt(status, 'conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  const reason = gated ? 'SchedulingGated' : textOf(status.reason) || textOf(status.phase);
  const initial: Tally = { reason, ready: 0, restarts: 0, lastRestart: '' };
  const sidecars: Tally = { ...initial };
  const initializing = lookAtInitContainers(pod, initial, sidecars);
  const tally = { ...initial, ready: sidecars.ready };
  if (!initializing || hasCondition(pod, 'Initialized')) {
    tally.restarts = sidecars.restarts;
    tally.lastRestart = sidecars.lastRestart;
    lookAtContainers(pod, tally);
  }
  if (pod.metadata.deletionTimestamp === undefined) return tally;
  const ended = status.phase === 'Succeeded' || status.phase === 'Failed';
  if (status.reason === 'NodeLost') tally.reason = 'Unknown';
  else if (!ended) tally.reason = 'Terminating';
  return tally;
}

function restartsText({ restarts, lastRestart }: Tally, now: number): string {
  if (restarts === 0 || lastRestart === '') return String(restarts);
  return `${restarts} (${ageOf(lastRestart, now)} ago)`;
}

function containerCount(pod: KubeObject): number {
  const sidecars = objectsAt(pod.spec, 'initContainers').filter(({ restartPolicy }) => restartPolicy === 'Always');
  return objectsAt(pod.spec, 'containers').length + sidecars.length;
}

function readinessGates(pod: KubeObject): string {
  const gates = objectsAt(pod.spec, 'readinessGates').map(({ conditionType }) => textOf(conditionType));
  if (gates.length === 0) return '<none>';
  return `${gates.filter((gate) => hasCondition(pod, gate)).length}/${gates.length}`;
}

export const podPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    ...['Ready', 'Status', 'Restarts', 'Age'].map((name) => column(name)),
    ...wide('IP', 'Node', 'Nominated Node', 'Readiness Gates'),
  ],
  cells(pod, now) {
    const tally = tallyOf(pod);
    const [address] = objectsAt(pod.status, 'podIPs');
    return [
      pod.metadata.name,
      `${tally.ready}/${containerCount(pod)}`,
      tally.reason,
      restartsText(tally, now),
      ageOf(pod.metadata.creationTimestamp, now),
      orNone(textOf(address?.ip)),
      orNone(textOf(valueAt(pod.spec, 'nodeName'))),
      orNone(textOf(valueAt(pod.status, 'nominatedNodeName'))),
      readinessGates(pod),
    ];
  },
  conditions({ status }) {
    const phase = textOf(valueAt(status, 'phase'));
    const messages = new Map([
      ['Succeeded', 'The pod has completed successfully.'],
      ['Failed', 'The pod failed.'],
    ]);
    const message = messages.get(phase);
    return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason: phase, message }];
  },
};
