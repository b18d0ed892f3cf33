import { createHash } from 'node:crypto';
import { type Json, type JsonObject, listOf, objectOf, textOf, valueAt } from '../../json.ts';
import { placeOf, WorkQueue } from '../controllers/work-queue.ts';
import { RequestFailure } from '../failure.ts';
import { InternalClient } from '../internal-client.ts';
import { deployments } from '../kinds/deployment.ts';
import { nodes } from '../kinds/node.ts';
import { nameSuffix } from '../kinds/pod/admission.ts';
import { pods } from '../kinds/pod/kind.ts';
import { asPod, isReady, type Pod } from '../kinds/pod/pod.ts';
import { services } from '../kinds/service/kind.ts';
import { asService, type ServicePort } from '../kinds/service/service.ts';
import type { KubeObject } from '../object.ts';
import { secondsText } from '../schema/formats.ts';
import type { ServerState } from '../server/state.ts';
import type { ClusterPlayer } from './cluster-player.ts';

const DELAY_MILLISECONDS = 10;
const TEMPLATE_LABEL = 'pod-template-hash';

export interface WorkloadOptions {
  /** So many pods run behind a Service that no Deployment has pods for. */
  readonly podsPerService?: number;
}

/** Plays those who keep pods running: for every Deployment, and for every Service that selects pods. */
export class WorkloadPlayer {
  readonly #state: ServerState;
  readonly #client: InternalClient;
  readonly #player: ClusterPlayer;
  readonly #podsPerService: number;
  #turn = 0;

  constructor(state: ServerState, player: ClusterPlayer, { podsPerService = 2 }: WorkloadOptions = {}) {
    this.#state = state;
    this.#client = new InternalClient(state, 'kube-controller-manager');
    this.#player = player;
    this.#podsPerService = podsPerService;
  }

  start(): void {
    const { clock, store } = this.#state;
    const deployed = new WorkQueue(clock, DELAY_MILLISECONDS, (key) => unlessRefused(() => this.#tendDeployment(key)));
    const served = new WorkQueue(clock, DELAY_MILLISECONDS, (key) => unlessRefused(() => this.#tendService(key)));
    store.subscribe(services.collection, ({ key, before }) => {
      if (before === undefined) served.add(key);
    });
    store.subscribe(deployments.collection, ({ key }) => deployed.add(key));
    store.subscribe(pods.collection, ({ before, after }) => {
      const owner = deploymentOf((after ?? before)?.object);
      if (owner !== undefined) deployed.add(owner);
    });
  }

  /** A Service that selects pods gets a Deployment of its name, unless there is one. */
  #tendService(key: string): void {
    const { namespace, name } = placeOf(key);
    const object = this.#client.get(services, namespace, name);
    if (object === undefined || this.#client.get(deployments, namespace, name) !== undefined) return;
    const service = asService(object);
    const { selector = {}, ports } = service.spec;
    if (Object.keys(selector).length === 0) return;
    const container = { name: 'main', image: 'example.test/workload:1', ports: (ports ?? []).map(containerPort) };
    this.#client.create(deployments, {
      metadata: { namespace: namespace ?? '', name, labels: selector },
      spec: {
        replicas: this.#podsPerService,
        selector: { matchLabels: selector },
        template: { metadata: { labels: selector }, spec: { containers: [container] } },
      },
    });
  }

  /** Starts what is missing, ends what is too much or of an older make, and tells how far it got. */
  #tendDeployment(key: string): void {
    const { namespace = '', name } = placeOf(key);
    const deployment = this.#client.get(deployments, namespace, name);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    const make = makeOf(deployment);
    const owned = this.#podsOf(key);
    const current = owned.filter(({ metadata }) => metadata.labels?.[TEMPLATE_LABEL] === make);
    const wanted = replicasOf(deployment);
    for (let count = current.length; count < wanted; count += 1) this.#startPod(deployment, make);
    const outdated = owned.filter((pod) => !current.includes(pod));
    for (const { metadata } of [...outdated, ...current.slice(wanted)]) {
      this.#player.deletePod(namespace, metadata.name);
    }
    this.#report(deployment, this.#podsOf(key), make);
  }

  #podsOf(key: string): readonly Pod[] {
    const all = this.#client.list(pods, placeOf(key).namespace).map(asPod);
    return all.filter((pod) => deploymentOf(pod) === key && pod.metadata.deletionTimestamp === undefined);
  }

  #startPod({ metadata, spec }: KubeObject, make: string): void {
    const machines = this.#client.list(nodes).filter(takesPods);
    const node = machines[this.#turn % machines.length];
    if (node === undefined) return;
    this.#turn += 1;
    const template = objectOf(valueAt(spec, 'template'));
    const labels = Object.entries(objectOf(valueAt(template, 'metadata', 'labels')));
    const { namespace = '', name, uid = '' } = metadata;
    this.#player.runPod({
      namespace,
      name: `${name}-${nameSuffix(this.#state.random)}`,
      labels: { ...Object.fromEntries(labels.map(([key, value]) => [key, textOf(value)])), [TEMPLATE_LABEL]: make },
      node: node.metadata.name,
      owner: { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true, blockOwnerDeletion: true },
      spec: objectOf(template.spec),
    });
  }

  #report({ metadata }: KubeObject, owned: readonly Pod[], make: string): void {
    const ready = owned.filter(isReady).length;
    const updated = owned.filter((pod) => pod.metadata.labels?.[TEMPLATE_LABEL] === make).length;
    const now = secondsText(this.#state.clock.now());
    this.#client.modify(
      deployments,
      metadata.namespace,
      metadata.name,
      (object) => ({
        ...object,
        status: {
          observedGeneration: object.metadata.generation ?? 0,
          ...(owned.length > 0 && { replicas: owned.length, updatedReplicas: updated }),
          ...(ready > 0 && { readyReplicas: ready, availableReplicas: ready }),
          conditions: [condition(object, 'Available', ready >= replicasOf(object), now)],
        },
      }),
      'status',
    );
  }
}

function replicasOf({ spec }: KubeObject): number {
  const replicas = valueAt(spec, 'replicas');
  return typeof replicas === 'number' ? replicas : 1;
}

function takesPods({ spec, status }: KubeObject): boolean {
  const conditions = listOf(valueAt(status, 'conditions')).map(objectOf);
  const isWell = conditions.some((each) => each.type === 'Ready' && each.status === 'True');
  return isWell && valueAt(spec, 'unschedulable') !== true;
}

/** The key of the Deployment that runs this pod. */
function deploymentOf(object: KubeObject | undefined): string | undefined {
  const owner = object?.metadata.ownerReferences?.find(({ kind }) => kind === 'Deployment');
  return owner === undefined ? undefined : `${object?.metadata.namespace ?? ''}/${owner.name}`;
}

/** Pods of the same template are of the same make. */
function makeOf({ spec }: KubeObject): string {
  const template = JSON.stringify(valueAt(spec, 'template') ?? null);
  return createHash('sha256').update(template).digest('hex').slice(0, 10);
}

function containerPort({ port, protocol = 'TCP', targetPort = port }: ServicePort): JsonObject {
  return typeof targetPort === 'string'
    ? { name: targetPort, containerPort: port, protocol }
    : { containerPort: targetPort, protocol };
}

/** In a namespace that is going nothing new can be started. */
function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
  }
}

function condition({ status }: KubeObject, type: string, holds: boolean, now: string): JsonObject {
  const before = listOf(valueAt(status, 'conditions'))
    .map(objectOf)
    .find((each) => each.type === type);
  const value = holds ? 'True' : 'False';
  const since: Json = before?.status === value ? (before.lastTransitionTime ?? now) : now;
  return { type, status: value, lastUpdateTime: since, lastTransitionTime: since };
}
