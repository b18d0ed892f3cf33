import { type Random, randomInteger, randomPick, seededRandom, VirtualClock } from '@fairlead/control';
import { endpointSlices, nodes, type Pod, pods, services } from '@fairlead/kube';
import type { ArmEmulator, ScriptedFault } from '@fairlead/sim/azure';
import { newAzure, scope } from './azure-bench.ts';
import { POD_FINALIZER } from '../pod-wish.ts';
import { EGRESS_LABEL } from '../service-key.ts';
import { NAMESPACE, TestCluster } from './cluster.ts';
import { Replica } from './replica.ts';

const SERVICES = ['a', 'b', 'c'];
const PODS = ['p', 'q', 'r'];
const EGRESSES = ['blue', 'green'];
const NODES = ['node-1', 'node-2'];
const ADDRESSES = ['10.1.0.1', '10.1.0.2', '10.1.0.3', '10.1.0.4'];

const FAULTS: readonly ScriptedFault[] = [
  { kind: 'lose-request' },
  { kind: 'lose-response' },
  { kind: 'refuse', status: 409, code: 'AnotherOperationInProgress' },
  { kind: 'refuse', status: 412, code: 'PreconditionFailed' },
  { kind: 'refuse', status: 429, code: 'TooManyRequests', headers: { 'retry-after': '7' } },
  { kind: 'refuse', status: 500 },
  { kind: 'refuse', status: 503 },
  { kind: 'misreport', status: 500 },
  { kind: 'fail-operation', code: 'InternalServerError' },
  { kind: 'delay', milliseconds: 3_000 },
];

/** Users, nodes, faults and restarts at random, one seed giving one history. */
export class RandomHistory {
  readonly clock = new VirtualClock();
  readonly azure: ArmEmulator;
  readonly cluster = new TestCluster(this.clock);
  readonly #random: Random;
  #replica: Replica;
  #seenVersion = 0;
  #seenPods = new Map<string, Pod>();
  readonly violations: string[] = [];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const operationTime = { minimum: 0, maximum: seed % 2 === 0 ? 2_000 : 0 };
    const latency = { minimum: 5, maximum: 80 };
    this.azure = newAzure(this.clock, { latency, operationTime, pollAfterSeconds: 1 });
    this.#replica = this.#start();
  }

  #start(): Replica {
    return new Replica(this.cluster, this.azure, { comparisonIntervalSeconds: 60 });
  }

  async run(steps: number): Promise<void> {
    await this.cluster.setUp('10.0.0.1', '10.0.0.2');
    for (let step = 0; step < steps; step += 1) {
      await this.#act().catch(ignoreConflict);
      await this.#pass(randomInteger(this.#random, 0, 1_500));
    }
    this.azure.faults.clear();
    await this.#pass(400_000);
    await this.#replica.settle(900_000);
    await this.clock.advance(200_000);
    await this.#replica.settle(900_000);
  }

  /** Lets time pass, and looks after every step whether something happened that never may. */
  async #pass(milliseconds: number): Promise<void> {
    await this.clock.runUntil(() => {
      this.#look();
      return false;
    }, milliseconds);
  }

  #look(): void {
    const version = this.cluster.kube.resourceVersion;
    if (version === this.#seenVersion) return;
    this.#seenVersion = version;
    const present = new Map(this.cluster.podsNow().map((pod) => [pod.metadata.uid ?? '', pod]));
    for (const [uid, pod] of this.#seenPods) if (!present.has(uid)) this.#onPodGone(pod, [...present.values()]);
    this.#seenPods = present;
  }

  /** A pod that goes must have left the gateway, unless its address is somebody else's by now. */
  #onPodGone({ metadata, status }: Pod, others: readonly Pod[]): void {
    const address = status?.podIP ?? '';
    if (!metadata.finalizers?.includes(POD_FINALIZER)) return;
    if (others.some((other) => other.status?.podIP === address)) return;
    for (const addresses of this.azure.gateway(scope.gatewayId).locations.values()) {
      const names = addresses.get(address) ?? [];
      if (names.some((name) => EGRESSES.includes(name))) this.violations.push(`${metadata.name} went early`);
    }
  }

  async #act(): Promise<void> {
    const { cluster, azure } = this;
    const random = this.#random;
    const name = randomPick(random, SERVICES);
    const pod = randomPick(random, PODS);
    switch (randomInteger(random, 0, 11)) {
      case 0:
      case 1:
        await cluster.createService(name);
        return;
      case 2:
        return cluster.client.delete(services, { namespace: NAMESPACE, name });
      case 3: {
        const ports = [{ port: randomPick(random, [80, 81, 82]), targetPort: 8080 }];
        await cluster.client.patchMerge(services, { namespace: NAMESPACE, name }, { spec: { ports } });
        return;
      }
      case 4:
      case 5: {
        const endpoints = ADDRESSES.filter(() => random.next() < 0.5).map((at) => `${at}@${randomPick(random, NODES)}`);
        return cluster.putSlice(name, `${name}-${randomInteger(random, 1, 2)}`, endpoints);
      }
      case 6:
        await cluster.createPod(
          pod,
          randomPick(random, EGRESSES),
          randomPick(random, NODES),
          randomPick(random, ADDRESSES),
        );
        return;
      case 7:
        return cluster.labelPod(pod, random.next() < 0.2 ? null : randomPick(random, EGRESSES));
      case 8:
        return cluster.deletePod(pod);
      case 9:
        return cluster.putNode(randomPick(random, NODES), `10.0.0.${randomInteger(random, 1, 3)}`);
      case 10:
        azure.faults.next({}, randomPick(random, FAULTS), randomInteger(random, 1, 6));
        return;
      default:
        this.#replica.stop();
        this.#replica = this.#start();
    }
  }

  /** What should be there, from the cluster alone. */
  async expected() {
    const { client } = this.cluster;
    const { items: allServices } = await client.list(services, { namespace: NAMESPACE });
    const { items: allSlices } = await client.list(endpointSlices, { namespace: NAMESPACE });
    const { items: allNodes } = await client.list(nodes);
    const { items: allPods } = await client.list(pods, { namespace: NAMESPACE, labelSelector: EGRESS_LABEL });
    const nodeIps = new Map(allNodes.map((node) => [node.metadata.name, node.status?.addresses?.[0]?.address ?? '']));
    const uids = new Map(allServices.map(({ metadata }) => [metadata.name, metadata.uid ?? '']));
    const located = new Map<string, Set<string>>();
    const put = (address: string, node: string, name: string) => {
      const at = `${address}@${nodeIps.get(node)}`;
      located.set(at, (located.get(at) ?? new Set()).add(name));
    };
    // An endpoint that two slices have on different nodes is on the first one.
    for (const [name, uid] of uids) {
      const slices = allSlices.filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
      const onNode = new Map<string, string>();
      for (const { addresses, nodeName = '' } of slices.flatMap(({ endpoints }) => endpoints ?? [])) {
        const [address = ''] = addresses;
        const known = onNode.get(address);
        onNode.set(address, known === undefined || nodeName < known ? nodeName : known);
      }
      for (const [address, node] of onNode) put(address, node, uid);
    }
    const owners = new Map<string, { readonly address: string; readonly node: string; readonly egress: string }>();
    const byAge = allPods.toSorted((left, right) => (ageOf(left) < ageOf(right) ? -1 : 1));
    for (const { metadata, spec, status } of byAge) {
      const egress = metadata.labels?.[EGRESS_LABEL] ?? '';
      const address = status?.podIP ?? '';
      const node = spec.nodeName ?? '';
      owners.set(`${address}@${nodeIps.get(node)}`, { address, node, egress });
    }
    for (const { address, node, egress } of owners.values()) put(address, node, egress);
    const egresses = new Set(allPods.map(({ metadata }) => metadata.labels?.[EGRESS_LABEL] ?? ''));
    return {
      services: [...uids.values(), ...egresses].sort(),
      located: [...located].map(([at, names]) => `${at}=${[...names].sort().join(',')}`).sort(),
    };
  }

  get found() {
    const { services: registered, locations } = this.azure.gateway(scope.gatewayId);
    return {
      services: [...registered.keys()].sort(),
      located: [...locations]
        .flatMap(([location, addresses]) =>
          [...addresses].map(([address, names]) => `${address}@${location}=${names.join(',')}`),
        )
        .sort(),
    };
  }
}

function ageOf({ metadata }: Pod): string {
  return `${metadata.creationTimestamp} ${metadata.uid}`;
}

/** What is not there cannot be changed, and what is there cannot be created. */
function ignoreConflict(): void {}

/** Pods that only ever change their label: their address must never be without a gateway once it has one. */
export async function playMoves(seed: number): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const azure = newAzure(clock, { latency: { minimum: 5, maximum: 60 } });
  const cluster = new TestCluster(clock);
  await cluster.setUp('10.0.0.1', '10.0.0.2');
  for (const [index, name] of PODS.entries()) await cluster.createPod(name, 'blue', 'node-1', `10.2.0.${index}`);
  let replica = new Replica(cluster, azure, { comparisonIntervalSeconds: 60 });
  await replica.settle();
  const gaps: string[] = [];
  const look = () => {
    const addresses = azure.gateway(scope.gatewayId).locations.get('10.0.0.1');
    for (const index of PODS.keys()) {
      if ((addresses?.get(`10.2.0.${index}`) ?? []).length !== 1) gaps.push(`10.2.0.${index} at ${clock.monotonic()}`);
    }
    return false;
  };
  for (let step = 0; step < 30; step += 1) {
    const luck = random.next();
    if (luck < 0.6) await cluster.labelPod(randomPick(random, PODS), randomPick(random, ['blue', 'green', 'red']));
    else if (luck < 0.85) azure.faults.next({}, randomPick(random, FAULTS), randomInteger(random, 1, 4));
    else {
      replica.stop();
      replica = new Replica(cluster, azure, { comparisonIntervalSeconds: 60 });
    }
    await clock.runUntil(look, randomInteger(random, 0, 2_000));
  }
  azure.faults.clear();
  await clock.runUntil(look, 300_000);
  await replica.settle(600_000);
  return gaps;
}
