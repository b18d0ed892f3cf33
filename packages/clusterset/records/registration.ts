import { type IpAddress, type IpRange, parseIpRange, rangeContains } from '@fairlead/control';
import type { ConfigMap } from '@fairlead/kube';

/*
 * What a cluster was admitted with, as a ConfigMap in the shared namespace of the broker. Who may admit members writes
 * it; members read those of all, and can write none: what a cluster may claim is not its own word.
 */

const UID = 'cluster-uid';
const RANGES = 'ranges';
const PREFIX = 'member.';

export interface Admission {
  /** Of its namespace kube-system: tells it from another cluster of the same name. */
  readonly uid?: string | undefined;
  /** Of its pods and Services; none where addresses are translated on the way. */
  readonly ranges: readonly string[];
}

export function registrationName(cluster: string): string {
  return `${PREFIX}${cluster}`;
}

export function registrationData({ uid, ranges }: Admission): Readonly<Record<string, string>> {
  return { ...(uid !== undefined && { [UID]: uid }), ...(ranges.length > 0 && { [RANGES]: ranges.join(',') }) };
}

/** Whether the name was given to another cluster. */
export function isOfAnother(registration: ConfigMap | undefined, uid: string | undefined): boolean {
  const owner = registration?.data?.[UID];
  return owner !== undefined && uid !== undefined && owner !== uid;
}

/** The ranges of every cluster that has any. */
export type Claims = ReadonlyMap<string, readonly IpRange[]>;

export const NO_CLAIMS: Claims = new Map();

export function claimsOf(registrations: readonly ConfigMap[]): Claims {
  const claims = registrations.map(({ metadata, data }) => {
    const texts = (data?.[RANGES] ?? '').split(',');
    return [metadata.name.slice(PREFIX.length), texts.flatMap((text) => parseIpRange(text) ?? [])] as const;
  });
  return new Map(claims.filter(([, ranges]) => ranges.length > 0));
}

/** Why a cluster may not lead clients to this address, for the end of a sentence; undefined when it may. */
export function notItsOwn(address: IpAddress, cluster: string, claims: Claims): string | undefined {
  const own = claims.get(cluster);
  if (own !== undefined) {
    return own.some((range) => rangeContains(range, address)) ? undefined : `is in no range of the cluster ${cluster}`;
  }
  for (const [other, ranges] of claims) {
    const range = ranges.find((one) => rangeContains(one, address));
    if (range !== undefined) return `is in ${range.text}, a range of the cluster ${other}`;
  }
  return undefined;
}
