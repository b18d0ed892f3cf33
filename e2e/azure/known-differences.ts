import type { Recording } from './recordings.ts';

/** Where the emulator answers otherwise than Azure did, and why that is right. */
export interface KnownDifference {
  readonly why: string;
  /** Of all kinds and clouds, and in all interactions, unless told otherwise. */
  readonly kind?: Recording['kind'];
  readonly cloud?: Recording['cloud'];
  readonly id?: number;
  readonly what: RegExp;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    why: 'that cloud does not tell how much of its limits is left; the emulator does as the public one',
    cloud: 'AZURECHINACLOUD',
    what: /^header x-ms-ratelimit-remaining-/,
  },
  {
    why: 'the group and an address in it were left by a run before, so that this write changes what is not shown',
    kind: 'natgateway',
    cloud: 'AZURECLOUD',
    id: 1,
    what: /^status$|^body\.properties\.ipAddress$/,
  },
  {
    why: 'the one read of a resource without its header; the body has the ETag, and clients go by that',
    kind: 'servicegateway',
    id: 3,
    what: /^header etag$/,
  },
];

export function knownDifference({ kind, cloud }: Recording, id: number, what: string): KnownDifference | undefined {
  return KNOWN_DIFFERENCES.find(
    (known) =>
      (known.kind ?? kind) === kind &&
      (known.cloud ?? cloud) === cloud &&
      (known.id ?? id) === id &&
      known.what.test(what),
  );
}
