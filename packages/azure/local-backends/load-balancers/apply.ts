import { FairleadError, type Journal, Lanes, runSteps, verdictOf } from '@fairlead/control';
import {
  type ArmClient,
  armName,
  type CallOptions,
  findArmError,
  type LoadBalancer,
  type NetworkSecurityGroup,
  type PublicIpAddress,
} from '../../arm/index.ts';
import type { ServiceMark } from '../names.ts';
import type { ResourceHolding } from '../azure-resource-locker.ts';
import type { FailedWrites } from './failed-writes.ts';
import type { ObservedAzure } from './observed.ts';
import { type AzureWrite, type Conditional, callOf, nextWrites, obstacleTo, type PlanInput } from './plan.ts';
import { isLeftover, type Target } from './target.ts';
import { underWayFor } from './under-way.ts';

/** More rounds than any plan takes: an address, who may reach it, two writes of a load balancer, removals. */
export const MAX_ROUNDS = 12;
/** Azure takes many public addresses at once; a load balancer takes one change at a time, and gets only one. */
const CONCURRENT_WRITES = 10;

/** What the world looks like if the process dies right after a write, and who mends it. */
const IF_IT_DIES_HERE: Readonly<Record<AzureWrite['kind'], string>> = {
  'put-public-ip': 'The address carries the UID of the Service; the next leader finds it by its name and goes on.',
  'put-security-group': 'The rules are for an address that leads nowhere yet; the next leader finds them in place.',
  'put-load-balancer': 'All in it carries the mark of its Service; the next leader finds it and publishes the status.',
  'delete-public-ip': 'The finalizer still holds the Service; the next leader finds nothing left and lets it go.',
  'delete-load-balancer': 'No Service was on it; the next one that is placed there makes it again.',
};

export interface ConvergeOptions extends Pick<PlanInput, 'site' | 'backends' | 'unserved'> {
  readonly client: Pick<ArmClient, 'find' | 'put' | 'delete'>;
  readonly journal: Journal;
  readonly failedWrites: FailedWrites;
  readonly holding: ResourceHolding;
  readonly signal: AbortSignal;
}

/** Why something did not come about. */
export interface ConvergenceFailure {
  readonly error: unknown;
  /** The write was for others, too, and one of them may be to blame. */
  readonly isShared: boolean;
}

export interface Converged {
  readonly observed: ObservedAzure;
  readonly writes: readonly AzureWrite[];
  readonly failures: ReadonlyMap<Target['subject'], ConvergenceFailure>;
}

/** Writes, round by round, until Azure is as it should be. A Service that fails is left as it is; the others go on. */
export async function converge(
  targets: readonly Target[],
  before: ObservedAzure,
  options: ConvergeOptions,
): Promise<Converged> {
  const failures = new Map<Target['subject'], ConvergenceFailure>();
  const writes: AzureWrite[] = [];
  let observed = before;
  const fail = (subjects: readonly Target['subject'][], error: unknown) => {
    for (const subject of subjects) failures.set(subject, { error, isShared: subjects.length > 1 });
  };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    for (const target of targets) {
      const obstacle = failures.has(target.subject) ? undefined : obstacleTo(options.site, observed, target);
      if (obstacle !== undefined) fail([target.subject], obstacle);
    }
    const pending = targets.filter(({ subject }) => !failures.has(subject));
    let next: readonly AzureWrite[] = [];
    try {
      next = nextWrites({ ...options, targets: pending, observed });
    } catch (error) {
      fail(subjectsOf(pending), error);
    }
    if (next.length === 0) {
      for (const target of targets) {
        const busy = failures.has(target.subject) ? undefined : underWayFor(options.site, observed, target);
        if (busy !== undefined) fail([target.subject], busy);
      }
      return { observed, writes, failures };
    }
    let isStuck = false;
    const lanes = new Lanes(CONCURRENT_WRITES);
    const work = async (write: AzureWrite) => {
      try {
        const answer = await send(write, options);
        observed = withAnswer(observed, answer);
        writes.push(write);
        if (isShared(write)) options.failedWrites.succeeded(write.id);
      } catch (error) {
        options.signal.throwIfAborted();
        fail(write.subjects, error);
        if (isShared(write)) {
          const isBalancer = write.kind === 'put-load-balancer';
          const before = isBalancer ? observed.loadBalancers.get(armName(write.id).toLowerCase()) : undefined;
          options.failedWrites.failed(write.id, marksOf(targets, write), before);
        }
        // An empty load balancer that could not be deleted concerns no Service: it is tried again next time.
        isStuck ||= write.subjects.length === 0;
      }
    };
    await Promise.all(next.map((write) => lanes.run(write.id, () => work(write))));
    if (isStuck) return { observed, writes, failures };
  }
  const message = 'Azure does not come to rest: what is written is not what it shows afterwards';
  fail(subjectsOf(targets), new FairleadError(message, { verdict: 'retriable', code: 'not-settled' }));
  return { observed, writes, failures };
}

/** We may change the resource, but not use another to which the change refers: a subnet or an address that a Service names. */
const LINKED = 'LinkedAuthorizationFailed';
/** What a Service names is there, and Azure failed at it: with status 400 it stays so, with 429 Azure is at work on it. */
const NOT_PROVISIONED = 'ReferencedResourceNotProvisioned';

/** Whether leaving some of the Services out may let the others through. */
export function mayBlameOneService({ error, isShared }: ConvergenceFailure): boolean {
  return isShared && isAboutWhatIsAsked(error);
}

/** Whether Azure refuses what this one Service asks for. */
export function isRefusedAlone({ error, isShared }: ConvergenceFailure): boolean {
  return !isShared && findArmError(error) !== undefined && isAboutWhatIsAsked(error);
}

function isAboutWhatIsAsked(error: unknown): boolean {
  const refusal = findArmError(error);
  if (refusal?.codes.includes(LINKED)) return true;
  if (refusal?.status === 400 && refusal.codes.includes(NOT_PROVISIONED)) return true;
  // Who we are is never terminal; what a policy forbids is about what was sent, although it is a 403, too.
  return verdictOf(error) === 'terminal';
}

/** What Azure answered to a write, in place of what was observed before. */
export type WriteAnswer =
  | { readonly kind: 'public-ip'; readonly name: string; readonly body: PublicIpAddress | undefined }
  | { readonly kind: 'load-balancer'; readonly name: string; readonly body: LoadBalancer | undefined }
  | { readonly kind: 'security-group'; readonly body: NetworkSecurityGroup };

export function withAnswer(observed: ObservedAzure, answer: WriteAnswer): ObservedAzure {
  switch (answer.kind) {
    case 'public-ip':
      return { ...observed, publicIps: replaced(observed.publicIps, answer.name, answer.body) };
    case 'load-balancer':
      return { ...observed, loadBalancers: replaced(observed.loadBalancers, answer.name, answer.body) };
    case 'security-group':
      return { ...observed, securityGroup: answer.body };
  }
}

/** Makes one write, as a journalled step. */
async function send(write: AzureWrite, { client, journal, holding, signal }: ConvergeOptions): Promise<WriteAnswer> {
  const [subject = 'leftover load balancer' as const] = write.subjects;
  const record = { journal, key: isLeftover(subject) ? subject : `service ${subject}` };
  const { promise, resolve } = Promise.withResolvers<WriteAnswer>();
  const run = async (stepSignal: AbortSignal) => {
    await holding.keep(stepSignal);
    resolve(await request(client, write, { signal: stepSignal, record, throttle: 'refuse' }));
  };
  const ifItDiesHere = IF_IT_DIES_HERE[write.kind];
  await runSteps([{ name: write.kind, call: callOf(write), ifItDiesHere, run }], record, signal);
  return promise;
}

async function request(
  client: Pick<ArmClient, 'find' | 'put' | 'delete'>,
  write: AzureWrite,
  call: CallOptions,
): Promise<WriteAnswer> {
  const name = armName(write.id);
  switch (write.kind) {
    case 'put-public-ip':
      return { kind: 'public-ip', name, body: await putPublicIp(client, write, call) };
    case 'put-security-group':
      return { kind: 'security-group', body: await client.put(write.id, write.body, { ...call, ...matching(write) }) };
    case 'put-load-balancer': {
      const options = { ...call, ...sinceRead(write) };
      return { kind: 'load-balancer', name, body: await client.put(write.id, write.body, options) };
    }
    case 'delete-public-ip':
      await client.delete(write.id, call);
      return { kind: 'public-ip', name, body: undefined };
    case 'delete-load-balancer':
      await client.delete(write.id, { ...call, ...matching(write) });
      return { kind: 'load-balancer', name, body: undefined };
  }
}

/** What is there after all may be of the same request, the answer to which was lost: one goes on from there. */
async function putPublicIp(
  client: Pick<ArmClient, 'find' | 'put'>,
  write: Extract<AzureWrite, { readonly kind: 'put-public-ip' }>,
  call: CallOptions,
): Promise<PublicIpAddress> {
  try {
    return await client.put(write.id, write.body, { ...call, ...sinceRead(write) });
  } catch (error) {
    const isThere = write.etag === undefined && findArmError(error)?.status === 412;
    const found = isThere ? await client.find(write.id, call) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/**
 * One that we could not see has an owner all the same, be it ourselves when a request arrives twice. Azure's contract
 * promises If-Match alone: where If-None-Match is passed over, the comparison finds what was undone.
 */
function sinceRead(write: Conditional): { readonly ifMatch?: string } | { readonly ifNoneMatch: '*' } {
  return write.etag === undefined ? { ifNoneMatch: '*' } : matching(write);
}

/** What another program wrote since we read is never overwritten, and never deleted. */
function matching({ etag }: Conditional): { readonly ifMatch?: string } {
  return etag === undefined ? {} : { ifMatch: etag };
}

function replaced<Body>(
  bodies: ReadonlyMap<string, Body>,
  name: string,
  body: Body | undefined,
): ReadonlyMap<string, Body> {
  const changed = new Map(bodies);
  if (body === undefined) changed.delete(name.toLowerCase());
  else changed.set(name.toLowerCase(), body);
  return changed;
}

type SharedPut = Extract<AzureWrite, { readonly kind: 'put-security-group' | 'put-load-balancer' }>;

function isShared(write: AzureWrite): write is SharedPut {
  return write.kind === 'put-security-group' || write.kind === 'put-load-balancer';
}

function marksOf(targets: readonly Target[], { subjects }: AzureWrite): readonly ServiceMark[] {
  return targets.filter(({ subject }) => subjects.includes(subject)).map(({ mark }) => mark);
}

function subjectsOf(targets: readonly Target[]): readonly Target['subject'][] {
  return targets.map(({ subject }) => subject);
}
