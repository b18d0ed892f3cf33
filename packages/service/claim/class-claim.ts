import { hasFinalizer, type Service } from '@fairlead/kube';

/** Finalizers of this domain record which part of Fairlead owns a Service. */
const OWNER_PREFIX = 'fairlead.dev/';

/** Left on a Service by a cloud controller manager that balances it. */
export const CLOUD_PROVIDER_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

/** The finalizer by which a part owns a Service, such as `fairlead.dev/gateway`. */
export type OwnerFinalizer = `fairlead.dev/${string}`;

/** What a part declares about the Services that are its own. */
export interface ClaimRules {
  /** The `spec.loadBalancerClass` this part answers to. */
  readonly loadBalancerClass: string;
  readonly finalizer: OwnerFinalizer;
  /** Finalizers of other software that a Service of this part carries beside ours, put on and taken off with it. */
  readonly companionFinalizers?: readonly string[];
  /** Whether this part also takes Services of type LoadBalancer that name no class. */
  readonly isDefault: boolean;
  /**
   * Labels, all of which a ClusterIP or NodePort Service must carry to be taken. An empty selector takes none:
   * claiming every Service of a cluster is never what was meant.
   */
  readonly otherTypesByLabel?: Readonly<Record<string, string>>;
  /** Finalizers of software that this part can take over from. They stay until ours go, and go with them. */
  readonly predecessors?: readonly string[];
  /** Whether Services that name no class and carry one of those are taken over. */
  readonly takesOver?: boolean;
  /** How the annotations begin that the part reads, writes or has to refuse. Those of demands need not be named. */
  readonly annotationPrefixes?: readonly string[];
}

export type ClaimedReason = 'class' | 'default' | 'selected' | 'finalizer' | 'adopted';
export type ReleaseReason =
  | 'being-deleted'
  | 'class-changed'
  | 'type-changed'
  | 'no-longer-selected'
  | 'owned-by-other-part';
export type ForeignReason =
  | 'being-deleted'
  | 'other-class'
  | 'no-class'
  | 'other-type'
  | 'not-selected'
  | 'owned-by-other-part'
  | 'owned-by-cloud-provider';

interface Decision<State extends string, Reason extends string> {
  readonly state: State;
  readonly reason: Reason;
  /** The reason in plain words, about «it», the Service. */
  readonly sentence: string;
  /** The Service as it was when this was decided. */
  readonly service: Service;
  /** The rules of the part that asked. */
  readonly rules: ClaimRules;
}

/** Ours, to be served. */
export type ClaimedService = Decision<'claimed', ClaimedReason>;
/** Ours by its finalizer, or that of a predecessor, and no longer to be served: take down what it has outside, then let go. */
export type ServiceToRelease = Decision<'release', ReleaseReason>;
/** Not ours: never touched. */
export type ForeignService = Decision<'foreign', ForeignReason>;
export type Claim = ClaimedService | ServiceToRelease | ForeignService;

/**
 * Whose is this Service? What carries our finalizer stays ours until it is released, so that a changed default
 * orphans nothing; an explicit class is stronger than any finalizer.
 */
export function claimService(service: Service, rules: ClaimRules): Claim {
  const { finalizer } = rules;
  const held = hasFinalizer(service, finalizer);
  const about = { service, rules };
  const ours = (reason: ClaimedReason, sentence: string): Claim => ({ state: 'claimed', reason, sentence, ...about });
  const foreign = (reason: ForeignReason, sentence: string): Claim => ({
    state: 'foreign',
    reason,
    sentence,
    ...about,
  });
  const notOurs = (ifHeld: ReleaseReason, ifUnheld: ForeignReason, sentence: string): Claim =>
    held ? { state: 'release', reason: ifHeld, sentence, ...about } : foreign(ifUnheld, sentence);

  if (service.metadata.deletionTimestamp !== undefined) {
    const inherited = ownerOf(service) === undefined ? predecessorOf(service, rules) : undefined;
    if (inherited !== undefined) {
      // No finalizer can be put on it any more: that of the software before, which does not run, holds it for us.
      const sentence = `it is being deleted, and is taken over from the software whose finalizer ${inherited} is on it`;
      return { state: 'release', reason: 'being-deleted', sentence, ...about };
    }
    return notOurs('being-deleted', 'being-deleted', 'it is being deleted');
  }
  const { type = 'ClusterIP', loadBalancerClass } = service.spec;
  if (type === 'LoadBalancer') {
    if (loadBalancerClass === rules.loadBalancerClass) return ours('class', `its class ${loadBalancerClass} is ours`);
    if (loadBalancerClass !== undefined) {
      const sentence = `its class is ${loadBalancerClass}, ours is ${rules.loadBalancerClass}`;
      return notOurs('class-changed', 'other-class', sentence);
    }
  } else if (predecessorOf(service, rules) === undefined) {
    const labels = Object.entries(rules.otherTypesByLabel ?? {});
    if (labels.length === 0 || type === 'ExternalName') {
      return notOurs('type-changed', 'other-type', `it is of type ${type}, which we do not serve`);
    }
    const missing = labels.filter(([name, value]) => service.metadata.labels?.[name] !== value);
    if (missing.length > 0) {
      const lacking = missing.map((label) => label.join('=')).join(', ');
      return notOurs('no-longer-selected', 'not-selected', `it is of type ${type} and lacks the label ${lacking}`);
    }
  }
  const owner = ownerOf(service);
  if (owner !== undefined && owner !== finalizer) {
    const sentence = `its finalizer ${owner} says that another part owns it, until that part lets go`;
    return notOurs('owned-by-other-part', 'owned-by-other-part', sentence);
  }
  const predecessor = predecessorOf(service, rules);
  if (predecessor !== undefined) {
    return ours(
      'adopted',
      `it names no class, and is taken over from the software whose finalizer ${predecessor} is on it`,
    );
  }
  if (type !== 'LoadBalancer') return ours('selected', `it is of type ${type} and its labels select it for us`);
  if (!held && rules.isDefault && hasFinalizer(service, CLOUD_PROVIDER_FINALIZER)) {
    const sentence = `its finalizer ${CLOUD_PROVIDER_FINALIZER} says that a cloud controller manager serves it`;
    return foreign('owned-by-cloud-provider', sentence);
  }
  if (rules.isDefault) return ours('default', 'it names no class and ours is the default');
  if (held) {
    const sentence = `it names no class and ours is not the default, but our finalizer ${finalizer} is on it`;
    return ours('finalizer', `${sentence}; recreate it to give it to the default`);
  }
  return foreign('no-class', `it names no class and ours, ${rules.loadBalancerClass}, is not the default`);
}

/**
 * From whom the Service is taken over. What was taken over stays ours when no others are any more. Of cloud controller
 * managers only Services of type LoadBalancer: on others their finalizer is about to go.
 */
function predecessorOf(service: Service, rules: ClaimRules): string | undefined {
  const { type = 'ClusterIP', loadBalancerClass } = service.spec;
  const isHeld = hasFinalizer(service, rules.finalizer);
  // Where others than LoadBalancers are not served, nothing could be done for one that leaves.
  const isTaken = rules.takesOver === true && (type === 'LoadBalancer' || rules.otherTypesByLabel !== undefined);
  if ((!isTaken && !isHeld) || loadBalancerClass !== undefined || type === 'ExternalName') return undefined;
  return rules.predecessors?.find(
    (one) => hasFinalizer(service, one) && (type === 'LoadBalancer' || one !== CLOUD_PROVIDER_FINALIZER),
  );
}

/** Whether the Service has gone to another load balancer, whose fields and finalizers it carries by now. */
export function hasMovedOn({ reason }: ServiceToRelease): boolean {
  return reason === 'class-changed' || reason === 'owned-by-other-part';
}

/** Which part owns the Service: the first to have put its finalizer on it. */
function ownerOf(service: Service): OwnerFinalizer | undefined {
  return service.metadata.finalizers?.find(isOwnerFinalizer);
}

/** Whether this is a finalizer by which a part of Fairlead owns a Service. */
export function isOwnerFinalizer(finalizer: string): finalizer is OwnerFinalizer {
  return finalizer.startsWith(OWNER_PREFIX);
}
