import { Lanes, runSteps, type Step, type StepRecord } from '@fairlead/control';
import { type ArmClient, armName, type CallOptions } from '../../arm/index.ts';
import type { ResourceHolding } from '../azure-resource-locker.ts';
import { afterWrite, type WriteAnswer } from '../report/dry-run.ts';
import type { ObservedAzure } from './observed.ts';
import { type AzureWrite, callOf, type Intention } from './target.ts';

/** Azure takes many public addresses at once; a load balancer takes one change at a time, and gets only one. */
const CONCURRENT_WRITES = 10;

/** What the world looks like if the process dies right after a write, and who mends it. */
const IF_IT_DIES_HERE: Readonly<Record<AzureWrite['kind'], string>> = {
  'put-public-ip': 'The address carries the UID of the Service; the next leader finds it by its name and goes on.',
  'put-security-group': 'The rules are for an address that leads nowhere yet; the next leader finds them in place.',
  'put-load-balancer': 'The parts carry the mark of the Service; the next leader finds them and publishes the status.',
  'delete-public-ip': 'The finalizer still holds the Service; the next leader finds nothing left and lets it go.',
  'delete-load-balancer': 'Nobody was on it; the next Service that is placed there makes it again.',
};

export interface ApplyOptions {
  readonly client: Pick<ArmClient, 'put' | 'delete'>;
  readonly holding: ResourceHolding;
  readonly signal: AbortSignal;
  /** Where steps for this Service are recorded. */
  readonly recordFor: (subject: Intention['subject']) => StepRecord;
}

/** A write that Azure did not take. */
export interface FailedWrite {
  readonly write: AzureWrite;
  readonly error: unknown;
}

export interface Applied {
  readonly observed: ObservedAzure;
  readonly failed: readonly FailedWrite[];
}

/** Makes the writes side by side. What fails is told, and keeps nothing else from going ahead. */
export async function applyWrites(
  writes: readonly AzureWrite[],
  before: ObservedAzure,
  options: ApplyOptions,
): Promise<Applied> {
  const lanes = new Lanes(CONCURRENT_WRITES);
  let observed = before;
  const failed: FailedWrite[] = [];
  await Promise.all(
    writes.map((write) =>
      lanes.run(write.id, async () => {
        try {
          await runWrite(write, options, (answer) => {
            observed = afterWrite(observed, answer);
          });
        } catch (error) {
          options.signal.throwIfAborted();
          failed.push({ write, error });
        }
      }),
    ),
  );
  return { observed, failed };
}

async function runWrite(
  write: AzureWrite,
  { client, holding, signal, recordFor }: ApplyOptions,
  onAnswer: (answer: WriteAnswer) => void,
): Promise<void> {
  const [subject = 'leftover load balancer' as const] = write.subjects;
  const record = recordFor(subject);
  const step: Step = {
    name: write.kind,
    call: callOf(write),
    ifItDiesHere: IF_IT_DIES_HERE[write.kind],
    async run(stepSignal) {
      await holding.keep(stepSignal);
      onAnswer(await send(client, write, { signal: stepSignal, record }));
    },
  };
  await runSteps([step], record, signal);
}

async function send(
  client: Pick<ArmClient, 'put' | 'delete'>,
  write: AzureWrite,
  call: CallOptions,
): Promise<WriteAnswer> {
  const name = armName(write.id);
  switch (write.kind) {
    case 'put-public-ip':
      return { kind: 'public-ip', name, body: await client.put(write.id, write.draft, call) };
    case 'put-security-group':
      return { kind: 'security-group', body: await client.put(write.id, write.draft, { ...call, ...matching(write) }) };
    case 'put-load-balancer': {
      // One that we could not see is somebody's all the same.
      const isNew = write.etag === undefined ? ({ ifNoneMatch: '*' } as const) : {};
      const options = { ...call, ...matching(write), ...isNew };
      return { kind: 'load-balancer', name, body: await client.put(write.id, write.draft, options) };
    }
    case 'delete-public-ip':
      await client.delete(write.id, call);
      return { kind: 'public-ip', name, body: undefined };
    case 'delete-load-balancer':
      await client.delete(write.id, { ...call, ...matching(write) });
      return { kind: 'load-balancer', name, body: undefined };
  }
}

/** What somebody else wrote since we read is never overwritten, and never deleted. */
function matching({ etag }: { readonly etag: string | undefined }): { readonly ifMatch?: string } {
  return etag === undefined ? {} : { ifMatch: etag };
}
