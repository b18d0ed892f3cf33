import { type Explanation, messageOf } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { UnservedService } from './read-service.ts';
import type { ReportedService } from './service-report.ts';
import type { ServiceWrite } from './service-writes.ts';

export interface UnservedExplanationOptions {
  /** As people call it: `Service default/web`. */
  readonly subject: string;
  /** What would serve it: `the gateways`. */
  readonly servedBy: string;
  /** What it asks for, for a Service that is refused. */
  readonly wanted?: readonly string[];
  /** What is there of it outside, beside what its status shows. */
  readonly there?: readonly string[];
  /** What ends the wait of a Service that is refused, or is being let go. */
  readonly waitsFor?: string;
}

/** Why a Service is not served, in the same words for every part. */
export function explainUnserved(unserved: UnservedService, options: UnservedExplanationOptions): Explanation {
  const { subject, servedBy } = options;
  const there = [...shownIngress(unserved.claim.service), ...(options.there ?? [])];
  switch (unserved.kind) {
    case 'foreign':
      return {
        answer: `${subject} is not served by ${servedBy}: ${unserved.claim.sentence}.`,
        state: 'not-ours',
        wanted: [],
        there: [],
      };
    case 'unreadable':
      return {
        answer: `${subject} stays as it is, because reading it failed: ${messageOf(unserved.error)}`,
        state: 'stuck',
        wanted: [],
        there,
        waitsFor: 'a version of Fairlead that can read it: this is a defect worth reporting',
      };
    case 'release':
      return {
        answer: `${subject} is being let go: ${unserved.claim.sentence}.`,
        state: 'working',
        wanted: ['nothing outside, and no finalizer of ours'],
        there,
        waitsFor: options.waitsFor ?? 'the leader to let go of it',
      };
    case 'refuse':
      return {
        answer: `${subject} is refused (${unserved.refusal.code}): ${unserved.refusal.message}.`,
        state: 'stuck',
        wanted: options.wanted ?? [`a load balancer, because ${unserved.claim.sentence}`],
        there,
        waitsFor: options.waitsFor ?? 'a change of the Service: what it asks for cannot be honoured',
      };
  }
}

/** Why a Service is as it is, from what is still to be done for it; for a part that knows no more of it than that. */
export function explainReported(
  { reading, writes, detail }: ReportedService,
  options: UnservedExplanationOptions,
): Explanation {
  if (reading.kind !== 'serve') return explainUnserved(reading, options);
  const { claim } = reading;
  const wanted = options.wanted ?? [`a load balancer, because ${claim.sentence}`];
  const base = { answer: `${options.subject} ${detail}.`, wanted, there: shownIngress(claim.service) };
  if (writes === 0) return { ...base, state: 'as-wanted' };
  return { ...base, state: 'working', waitsFor: `the leader to make ${writes} writes` };
}

/** Where the status says that the Service can be reached. */
export function shownIngress({ status }: Service): readonly string[] {
  const ingress = status?.loadBalancer?.ingress ?? [];
  if (ingress.length === 0) return ['no address in status.loadBalancer.ingress'];
  return ingress.map(({ ip, hostname }) => `${ip ?? hostname} in status.loadBalancer.ingress`);
}

/** What a leader has still to write to the Service; undefined when that is nothing. */
export function pendingWrites(writes: readonly Pick<ServiceWrite, 'name'>[]): string | undefined {
  return writes.length === 0 ? undefined : `the leader to write: ${writes.map(({ name }) => name).join(', then ')}`;
}
