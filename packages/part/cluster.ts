import { type ClusterId, clusterId, codeOf, type Logger, messageOf } from '@fairlead/control';
import {
  type CallOptions,
  type EventMessage,
  type EventRecorder,
  type KubeClient,
  type Namespace,
  namespaces,
} from '@fairlead/kube';
import type { Permission } from './part.ts';

const KUBE_SYSTEM = { name: 'kube-system' };

/** What tells this cluster from others in a cloud: as configured, or the UID of the kube-system namespace. */
export async function readClusterId(
  configured: string | undefined,
  client: Pick<KubeClient, 'get'>,
  options: CallOptions,
): Promise<ClusterId> {
  if (configured !== undefined) return clusterId(configured);
  const { metadata } = await client.get(namespaces, KUBE_SYSTEM, options);
  return clusterId(metadata.uid ?? '');
}

export interface ClusterEventsOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** For a part that reads the id of the cluster, or tells Events about all of it. */
export const clusterPermission: Permission = {
  group: '',
  resources: ['namespaces'],
  verbs: ['get'],
  scope: 'cluster',
  because: 'The UID of kube-system marks what belongs to this cluster outside; Events about all of it are on that.',
};

/** Events that are about no object in particular: on the namespace whose UID stands for the cluster. */
export class ClusterEvents {
  readonly #options: ClusterEventsOptions;
  #namespace: Promise<Namespace> | undefined;

  constructor(options: ClusterEventsOptions) {
    this.#options = options;
  }

  /** Returns at once. Nothing is told after the signal has aborted. */
  record(message: EventMessage): void {
    void this.#record(message);
  }

  async #record(message: EventMessage): Promise<void> {
    const { events, signal } = this.#options;
    const namespace = await this.#kubeSystem();
    if (!signal.aborted) events.record(namespaces, namespace, message);
  }

  /** Read once. Where it cannot be read, an Event by the name alone is better than none; the next one asks again. */
  async #kubeSystem(): Promise<Namespace> {
    const { client, logger, signal } = this.#options;
    this.#namespace ??= client.get(namespaces, KUBE_SYSTEM, { signal });
    try {
      return await this.#namespace;
    } catch (error) {
      this.#namespace = undefined;
      const fields = { code: codeOf(error), error: messageOf(error) };
      if (!signal.aborted) logger.warn(fields, 'the namespace kube-system cannot be read: its Event has no UID');
      return { metadata: KUBE_SYSTEM };
    }
  }
}
