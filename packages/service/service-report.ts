import type { PlannedChange } from '@fairlead/control';
import type { ClaimedService } from './claim/class-claim.ts';
import type { UnservedService } from './read-service.ts';
import { shownAddresses } from './status/service-status.ts';

/** A Service with what is still to be done for it: what `plan` and `status` are made of. */
export interface ReportedService {
  readonly reading: { readonly kind: 'serve'; readonly claim: ClaimedService } | UnservedService;
  /** How many writes are missing, to the Service and outside. */
  readonly writes: number;
  /** What it gets, or has: `gets 192.0.2.10`. */
  readonly detail: string;
  /** Whether it had something outside before. */
  readonly isThere: boolean;
  /** Whether what it gets is there, made by another program, and becomes ours. */
  readonly isTakenOver?: boolean;
  /** The addresses it is to show, where they are known ahead; else it keeps those that it shows, unless it is let go. */
  readonly addresses?: readonly string[];
}

/** What would be done for each Service; those that are left alone are left out. */
export function serviceChanges(reported: Iterable<readonly [string, ReportedService]>): readonly PlannedChange[] {
  return [...reported].flatMap(
    ([key, { reading, writes, detail, isThere, isTakenOver = false, addresses }]): readonly PlannedChange[] => {
      const change = { subject: `Service ${key}`, writes, ...lossOf(reading, addresses) };
      switch (reading.kind) {
        case 'foreign':
        case 'unreadable':
          return [];
        case 'serve':
          if (writes === 0 || isTakenOver) return [{ ...change, action: 'adopt', detail }];
          return [{ ...change, action: isThere ? 'update' : 'create', detail }];
        case 'refuse':
          return [{ ...change, action: 'refuse', detail: `${reading.refusal.code}: ${reading.refusal.message}` }];
        case 'release':
          return [{ ...change, action: 'delete', detail: `is let go: ${reading.claim.sentence}` }];
      }
    },
  );
}

/** Of a Service that is refused, too: most parts take no address from it, and the others say what it keeps. */
function lossOf(
  reading: ReportedService['reading'],
  addresses: readonly string[] | undefined,
): { readonly loses?: readonly string[] } {
  if (reading.kind === 'foreign' || reading.kind === 'unreadable') return {};
  const shown = shownAddresses(reading.claim.service);
  const kept = reading.kind === 'release' ? [] : (addresses ?? shown);
  const loses = shown.filter((address) => !kept.includes(address));
  return loses.length === 0 ? {} : { loses };
}

/** How many Services are how: what is so now, not what is to be. */
export interface ServiceCounts {
  /** As they ask: nothing is left to be written. */
  readonly served: number;
  readonly refused: number;
  /** With writes to come. */
  readonly working: number;
  readonly unreadable: number;
}

export function countServices(reported: Iterable<ReportedService>): ServiceCounts {
  const counts = { served: 0, refused: 0, working: 0, unreadable: 0 };
  for (const { reading, writes } of reported) {
    if (reading.kind === 'foreign') continue;
    if (reading.kind === 'unreadable') counts.unreadable += 1;
    else if (reading.kind === 'release' || writes > 0) counts.working += 1;
    else if (reading.kind === 'refuse') counts.refused += 1;
    else counts.served += 1;
  }
  return counts;
}

/** What an operator has to see to: a Service that is refused is its owner's business. */
export function problemsOf({ unreadable }: Pick<ServiceCounts, 'unreadable'>): readonly string[] {
  if (unreadable === 0) return [];
  const what = unreadable === 1 ? 'a Service' : `${unreadable} Services`;
  return [`${what} cannot be read, and what is served of it is left alone: this is a defect worth reporting`];
}

/** What every part that serves Services may do with them. */
export const servicePermissions = [
  {
    group: '',
    resources: ['services'],
    verbs: ['get', 'list', 'watch', 'patch'],
    scope: 'cluster',
    because: 'It reads Services, and puts its finalizer and what it records on those of its class.',
  },
  {
    group: '',
    resources: ['services/status'],
    verbs: ['patch'],
    scope: 'cluster',
    because: 'It publishes the address, and a condition, in the status of the Service.',
  },
] as const;
