import { type ApiVersion, offersVersion } from '../api/versions.ts';

/** With which minor version of the API, 2.x, each feature came. */
const SINCE = [
  /** `timeout_client_data` and the other timeouts of listeners. */
  ['timeouts', 1],
  ['tags', 5],
  ['flavors', 6],
  /** `additive_only` of the batch update of members. */
  ['additive-members', 11],
  ['allowed-cidrs', 12],
  /** A TCP and a UDP listener on the same port, and the algorithm SOURCE_IP_PORT. */
  ['mixed-protocols', 13],
  ['availability-zones', 14],
  /** HTTP and TCP health monitors for UDP pools. */
  ['udp-http-monitors', 16],
  ['proxyv2', 22],
  ['sctp', 23],
  ['additional-vips', 26],
  /** `vip_sg_ids`, the security groups of the VIP port. */
  ['vip-security-groups', 29],
] as const;

export type OctaviaFeature = (typeof SINCE)[number][0];

/** What an Octavia of these versions can do; a provider may still refuse it. */
export function octaviaFeatures(versions: readonly ApiVersion[]): ReadonlySet<OctaviaFeature> {
  return new Set(SINCE.filter(([, minor]) => offersVersion(versions, { major: 2, minor })).map(([feature]) => feature));
}
