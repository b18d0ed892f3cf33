import { type Clock, FairleadError, type Journal, runSteps, type Step } from '@fairlead/control';
import {
  type KubeClient,
  type Leadership,
  leasedWrite,
  type MergePatch,
  type OwnWrites,
  type Resource,
  type Service,
  services,
  statusOf,
} from '@fairlead/kube';
import {
  type ClaimedService,
  claimService,
  type DesiredServiceStatus,
  releaseStatusPatch,
  type ServiceToRelease,
  serviceKey,
  statusPatch,
} from '@fairlead/service';
import { PART_NAME } from '../names.ts';
import { ADOPTED_POOLS_ANNOTATION, type AdoptedPools, adoptedPoolsText, LOAD_BALANCER_ANNOTATION } from './desired.ts';

export interface ServiceWriterOptions {
  readonly client: Pick<KubeClient, 'patchMerge'>;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly leadership: Leadership;
  readonly ownWrites: OwnWrites<Service>;
}

interface Write {
  readonly name: 'record-placement' | 'publish-status' | 'withdraw-status' | 'let-go';
  readonly ifItDiesHere: string;
  readonly subresource?: 'status';
  readonly patch: MergePatch<Service> | undefined;
}

/** Writes to Services, only on a difference, and only to the very version that was decided upon. */
export class ServiceWriter {
  readonly #options: ServiceWriterOptions;

  constructor(options: ServiceWriterOptions) {
    this.#options = options;
  }

  /** Holds the Service by our finalizer and records its place: before anything of it exists outside. */
  async record(
    claim: ClaimedService,
    loadBalancer: string,
    adopted: AdoptedPools,
    signal: AbortSignal,
  ): Promise<ClaimedService> {
    const { service, rules } = claim;
    const written = await this.#write(service, signal, {
      name: 'record-placement',
      ifItDiesHere: 'The finalizer holds the Service, and the next leader finds its place in the annotation.',
      patch: placementPatch(claim, loadBalancer, adopted),
    });
    const renewed = claimService(written, rules);
    if (renewed.state === 'claimed') return renewed;
    throw new FairleadError(`Service ${serviceKey(service.metadata)} is no longer ours to serve: ${renewed.sentence}`, {
      verdict: 'stale',
      code: 'claim-lost',
    });
  }

  /** Gives the Service as it is then. */
  async publish(claim: ClaimedService, status: DesiredServiceStatus, signal: AbortSignal): Promise<Service> {
    return this.#write(claim.service, signal, {
      name: 'publish-status',
      ifItDiesHere: 'Nothing is left to do but the Event, which is lost; the condition on the Service says the same.',
      subresource: 'status',
      patch: statusPatch(claim, status, this.#options.clock),
    });
  }

  /** Lets go of a Service of which nothing is left outside. */
  async letGo({ service, ...claim }: ServiceToRelease, signal: AbortSignal): Promise<void> {
    const withdrawn = await this.#write(service, signal, {
      name: 'withdraw-status',
      ifItDiesHere: 'The finalizer still holds the Service; the next leader finds nothing outside and lets it go.',
      subresource: 'status',
      patch: releaseStatusPatch({ ...claim, service }),
    });
    const finalizers = (withdrawn.metadata.finalizers ?? []).filter((held) => held !== claim.rules.finalizer);
    const recorded = [LOAD_BALANCER_ANNOTATION, ADOPTED_POOLS_ANNOTATION].filter(
      (name) => withdrawn.metadata.annotations?.[name] !== undefined,
    );
    await this.#write(withdrawn, signal, {
      name: 'let-go',
      ifItDiesHere: 'The Service is no longer ours, and nothing of it was left outside.',
      patch: {
        metadata: {
          finalizers: finalizers.length > 0 ? finalizers : null,
          annotations: Object.fromEntries(recorded.map((name) => [name, null])),
        },
      },
    });
  }

  async #write(service: Service, signal: AbortSignal, write: Write): Promise<Service> {
    const { patch, subresource } = write;
    if (patch === undefined) return service;
    const { client, journal, leadership, ownWrites } = this.#options;
    let written = service;
    const step: Step = {
      name: write.name,
      call: `PATCH ${subresource === 'status' ? 'services/status' : 'services'}`,
      ifItDiesHere: write.ifItDiesHere,
      async run(stepSignal) {
        const options = leasedWrite(leadership, `fairlead-${PART_NAME}`, stepSignal);
        const resource: Resource<Service> = subresource === 'status' ? statusOf(services) : services;
        const { resourceVersion } = service.metadata;
        const version = resourceVersion === undefined ? {} : { resourceVersion };
        const guarded = { ...patch, metadata: { ...patch.metadata, ...version } };
        written = await client.patchMerge<Service>(resource, service.metadata, guarded, options);
        ownWrites.note(written);
      },
    };
    await runSteps([step], { journal, key: `service ${serviceKey(service.metadata)}` }, signal);
    return written;
  }
}

/** Our finalizer and where the Service was placed; undefined when both are on it. */
export function placementPatch(
  { service, rules }: ClaimedService,
  loadBalancer: string,
  adopted: AdoptedPools,
): MergePatch<Service> | undefined {
  const { finalizers = [], annotations = {} } = service.metadata;
  const wanted = { [LOAD_BALANCER_ANNOTATION]: loadBalancer, [ADOPTED_POOLS_ANNOTATION]: adoptedPoolsText(adopted) };
  const changes = Object.entries(wanted).filter(([name, value]) => annotations[name] !== value);
  const isHeld = finalizers.includes(rules.finalizer);
  if (isHeld && changes.length === 0) return undefined;
  return {
    metadata: {
      annotations: Object.fromEntries(changes.map(([name, value]) => [name, value ?? null])),
      ...(isHeld ? {} : { finalizers: [...finalizers, rules.finalizer] }),
    },
  };
}
