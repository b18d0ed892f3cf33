import {
  addFinalizer,
  hasFinalizer,
  type KubeClient,
  type Leadership,
  leasedWrite,
  type Pod,
  pods,
  removeFinalizer,
} from '@fairlead/kube';
import { EGRESS_LABEL, type PodUid } from '../engine/nrp-key.ts';
import { FIELD_MANAGER } from '../scope.ts';
import { POD_FINALIZER } from './egress-pod.ts';
import type { PodFeed } from './pod-feed.ts';

export interface PodFinalizersOptions {
  readonly client: KubeClient;
  readonly leadership: Leadership;
  readonly feed: Pick<
    PodFeed,
    'lookAt' | 'finalizerChange' | 'podOf' | 'onFinalizerAttempted' | 'onFinalizerWritten' | 'adoptStray'
  >;
}

/** Holds pods that use an egress gateway, by patches, and lets them go when their addresses have left NRP. */
export class PodFinalizers {
  readonly #options: PodFinalizersOptions;

  constructor(options: PodFinalizersOptions) {
    this.#options = options;
  }

  /** Writes the finalizer of the pod as it should be, if it is not. */
  async work(uid: PodUid, signal: AbortSignal): Promise<void> {
    const { client, leadership, feed } = this.#options;
    const writing = () => leasedWrite(leadership, FIELD_MANAGER, signal);
    feed.lookAt(uid);
    const change = feed.finalizerChange(uid);
    const pod = feed.podOf(uid);
    if (change === 'nothing' || pod === undefined) return;
    if (change === 'add') {
      feed.onFinalizerAttempted(uid);
      feed.onFinalizerWritten(uid, await addFinalizer<Pod>(client, pods, pod, POD_FINALIZER, writing()));
      return;
    }
    const present = await this.#asItIs(pod, signal);
    const remove = (held: Pod) => removeFinalizer<Pod>(client, pods, held, POD_FINALIZER, writing());
    feed.onFinalizerWritten(uid, present === undefined ? undefined : await remove(present));
  }

  /** A pod that is held, though what we have seen of it does not say so, has to be read; undefined when it is gone. */
  async #asItIs(pod: Pod, signal: AbortSignal): Promise<Pod | undefined> {
    if (hasFinalizer(pod, POD_FINALIZER)) return pod;
    const present = await this.#options.client.find(pods, pod.metadata, { signal });
    return present?.metadata.uid === pod.metadata.uid ? present : undefined;
  }

  /** Finds pods that have lost their label while no replica led, and would be held for ever. Reads all pods once. */
  async adoptStrays(signal: AbortSignal): Promise<void> {
    const { client, feed } = this.#options;
    for await (const { items } of client.pages(pods, { labelSelector: `!${EGRESS_LABEL}`, signal })) {
      for (const pod of items) if (pod.metadata.finalizers?.includes(POD_FINALIZER)) feed.adoptStray(pod);
    }
  }
}
