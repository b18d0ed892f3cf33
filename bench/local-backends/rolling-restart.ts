import { type Random, randomInteger } from '@fairlead/control';

/** The pods of a Service at one moment: the number of the node each is on. */
export interface EndpointChange {
  /** Milliseconds after the beginning. */
  readonly at: number;
  readonly service: number;
  readonly pods: readonly number[];
}

export interface RestartShape {
  readonly services: number;
  readonly podsPerService: number;
  readonly nodes: number;
  /** Restarts begin evenly spread over so many milliseconds. */
  readonly spreadMilliseconds: number;
  /** How often each Service is restarted, one time right after the other. */
  readonly rounds: number;
}

export interface RollingRestart {
  /** The pods of each Service before it. */
  readonly initial: readonly (readonly number[])[];
  /** In order of time. */
  readonly changes: readonly EndpointChange[];
}

/**
 * Every pod of every Service is replaced: a new one gets ready on some node, and as soon as the Deployment has noticed,
 * an old one goes.
 */
export function rollingRestart(random: Random, shape: RestartShape): RollingRestart {
  const anyNode = () => randomInteger(random, 0, shape.nodes - 1);
  const initial = Array.from({ length: shape.services }, () => Array.from({ length: shape.podsPerService }, anyNode));
  const changes = initial.flatMap((first, service) => {
    const list: EndpointChange[] = [];
    let at = randomInteger(random, 0, shape.spreadMilliseconds);
    let pods: readonly number[] = first;
    for (let replaced = 0; replaced < shape.podsPerService * shape.rounds; replaced += 1) {
      at += randomInteger(random, 5_000, 15_000);
      pods = [...pods, anyNode()];
      list.push({ at, service, pods });
      at += randomInteger(random, 50, 500);
      pods = pods.slice(1);
      list.push({ at, service, pods });
    }
    return list;
  });
  return { initial, changes: changes.toSorted((left, right) => left.at - right.at) };
}

/** The nodes with pods on them, each once. */
export function nodesOf(pods: readonly number[]): readonly number[] {
  return [...new Set(pods)].toSorted((left, right) => left - right);
}

/** The address of a node. */
export function nodeAddress(node: number): string {
  return `10.0.${1 + Math.floor(node / 250)}.${1 + (node % 250)}`;
}

/** What the pool of a Service with these pods should hold, as one text. */
export function poolText(pods: readonly number[]): string {
  return nodesOf(pods).map(nodeAddress).toSorted().join(' ');
}
