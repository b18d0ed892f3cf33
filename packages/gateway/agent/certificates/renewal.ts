const DAY_MILLISECONDS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
const CERTIFICATE_DAYS = 365;
/** Clocks differ: a certificate is good from a little before it was made. */
const EARLIER_MILLISECONDS = 3_600_000;

/** What is in the file of a certificate: who it is for, and when it ends. */
export interface FoundCertificate {
  readonly hosts: readonly string[];
  readonly from: number;
  readonly until: number;
  /** Whether the authority that we have signed it. */
  readonly isOurs: boolean;
}

/** Why a certificate is made anew, or undefined when the one that is there is good for long enough. */
export function reasonToIssue(
  found: FoundCertificate | undefined,
  hosts: readonly string[],
  now: number,
): string | undefined {
  if (found === undefined) return 'there is none';
  if (!found.isOurs) return 'it was signed by another authority';
  if (hosts.some((host) => !found.hosts.includes(host))) return 'it is for other names';
  if (now >= found.until) return 'it has ended';
  return now > found.until - (found.until - found.from) / 3 ? 'it ends soon' : undefined;
}

export function validity(role: 'authority' | 'server' | 'client', now: number): { from: number; until: number } {
  // Certificates have no fractions of a second.
  const second = Math.floor(now / 1_000) * 1_000;
  const days = role === 'authority' ? AUTHORITY_DAYS : CERTIFICATE_DAYS;
  return { from: second - EARLIER_MILLISECONDS, until: second + days * DAY_MILLISECONDS };
}
