import { FairleadError, parseIpRange } from '@fairlead/control';
import type { IpFamily, Service } from '@fairlead/kube';

/** What `spec.loadBalancerSourceRanges` was before it was a field; read when the field is empty. */
export const SOURCE_RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/**
 * Who may connect. With `only`, a family without ranges admits nobody: a list of IPv4 ranges does not open a
 * dual-stack Service to all of IPv6.
 */
export type SourceRanges =
  | { readonly kind: 'any' }
  | { readonly kind: 'only'; readonly IPv4: readonly string[]; readonly IPv6: readonly string[] };

/** The ranges a Service admits, in canonical spelling, sorted. Throws a terminal error if one is not a range. */
export function sourceRangesOf(service: Service, families: readonly IpFamily[]): SourceRanges {
  return readSourceRanges(askedRanges(service), families);
}

/** Ranges as they are written, and where: for what is said of one that is none. */
export interface AskedRanges {
  readonly where: string;
  readonly texts: readonly string[];
}

export function readSourceRanges({ where, texts }: AskedRanges, families: readonly IpFamily[]): SourceRanges {
  if (texts.length === 0) return { kind: 'any' };
  const ranges = texts.map((text) => {
    const range = parseIpRange(text);
    if (range !== undefined) return range;
    const message = `${where} has ${JSON.stringify(text)}, which is no range such as 192.0.2.0/24 or 2001:db8::/32`;
    throw new FairleadError(message, { verdict: 'terminal', code: 'invalid-source-range' });
  });
  const open = (family: IpFamily) => ranges.some((range) => range.family === family && range.prefixLength === 0);
  if (families.every(open)) return { kind: 'any' };
  const of = (family: IpFamily) =>
    [...new Set(ranges.filter((range) => range.family === family).map((range) => range.text))].toSorted();
  return { kind: 'only', IPv4: of('IPv4'), IPv6: of('IPv6') };
}

/** The API allows blanks around a range. An empty annotation asks for nothing; an empty piece of one is an error. */
function askedRanges(service: Service): AskedRanges {
  const field = service.spec.loadBalancerSourceRanges ?? [];
  if (field.length > 0) {
    return { where: 'spec.loadBalancerSourceRanges', texts: field.map((text) => text.trim()) };
  }
  const annotation = service.metadata.annotations?.[SOURCE_RANGES_ANNOTATION]?.trim() ?? '';
  const texts = annotation === '' ? [] : annotation.split(',').map((text) => text.trim());
  return { where: `the annotation ${SOURCE_RANGES_ANNOTATION}`, texts };
}
