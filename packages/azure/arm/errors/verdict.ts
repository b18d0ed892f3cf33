import { REPEATED_STATUSES } from '@fairlead/cloud';
import type { Verdict } from '@fairlead/control';

/**
 * What Azure's codes mean, where the status alone would mislead. Refusals of an entry in a batch are terminal, so that
 * the batch is taken apart and the one entry to blame is found.
 */
const VERDICTS: ReadonlyMap<string, Verdict> = new Map(
  Object.entries({
    // Drain its addresses, then delete again.
    ServiceWithOverlayMappingsCannotBeDeleted: 'terminal',
    DuplicateLocationsInRequest: 'terminal',
    MultipleDefaultServicesNotAllowedInServiceGateway: 'terminal',
    InvalidResourceReference: 'terminal',
    RequestDisallowedByPolicy: 'terminal',
    // The resource that still uses it is on its way out, and Azure is slow to notice.
    PublicIPAddressCannotBeDeleted: 'retriable',
    PublicIPAddressInUse: 'retriable',
    InUseNatGatewayCannotBeDeleted: 'retriable',
    InUseLoadBalancerCannotBeDeleted: 'retriable',
    InUseBackendAddressPoolCannotBeDeleted: 'retriable',
    InUseNetworkSecurityGroupCannotBeDeleted: 'retriable',
    InUseServiceGatewayCannotBeDeleted: 'retriable',
    InUseSubnetCannotBeDeleted: 'retriable',
    // Room appears when others delete, or when the quota is raised.
    PublicIPCountLimitReached: 'retriable',
    QuotaExceeded: 'retriable',
    AnotherOperationInProgress: 'retriable',
    CanceledAndSupersededDueToAnotherOperation: 'retriable',
    ReferencedResourceNotProvisioned: 'retriable',
    RetryableError: 'retriable',
    RetryableErrorDueToAnotherOperation: 'retriable',
  } satisfies Record<string, Verdict>),
);

/** Codes of a 429 that is about one resource, not about too many requests: no other call has to wait for it. */
const BUSY_CODES = new Set([
  'AnotherOperationInProgress',
  'ReferencedResourceNotProvisioned',
  'RetryableError',
  'RetryableErrorDueToAnotherOperation',
]);

/** What is to be done about a refusal. `codes` are Azure's, the most general first. */
export function verdictFor(status: number, codes: readonly string[], notFound: Verdict): Verdict {
  const known = codes.flatMap((code) => VERDICTS.get(code) ?? [])[0];
  if (known !== undefined) return known;
  if (status === 404) return notFound;
  // 409 and 412: another program was faster; read again. 401 and 403: roles and secrets take minutes to spread.
  if (status === 409 || status === 412 || status === 401 || status === 403 || status === 429) return 'retriable';
  if (REPEATED_STATUSES.includes(status) || status >= 500) return 'retriable';
  return 'terminal';
}

/** What is to be done about an operation that Azure accepted and then failed at. */
export function verdictForOperation(codes: readonly string[]): Verdict {
  const known = codes.flatMap((code) => VERDICTS.get(code) ?? [])[0];
  if (known !== undefined) return known;
  return codes.some((code) => code.startsWith('Invalid')) ? 'terminal' : 'retriable';
}

/** Whether there were too many requests; false for the 429 with which Azure says that one resource is busy. */
export function isThrottling(status: number, codes: readonly string[]): boolean {
  return status === 429 && !codes.some((code) => BUSY_CODES.has(code));
}
