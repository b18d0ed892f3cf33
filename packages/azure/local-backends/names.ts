import { createHash } from 'node:crypto';
import { type ClusterId, type IpFamily, type ServiceUid, serviceUid } from '@fairlead/control';
import { keyText, type ObjectKey, type Service } from '@fairlead/kube';

/** Stands for a cluster and this part in the names of what is inside a load balancer, where there are no tags. */
export type ClusterMark = string & { readonly brand: 'ClusterMark' };
/** Stands for one Service, by its UID, in the same place. */
export type ServiceMark = string & { readonly brand: 'ServiceMark' };

export const PART_NAME = 'azure-local';

/** So much of `namespace-name` fits into 80 characters beside the marks and the longest suffix. */
const LONGEST_READABLE = 48;
const CLUSTER_DIGITS = 6;
const SERVICE_DIGITS = 12;
const MARKED = /^.*-([0-9a-f]{6})([0-9a-f]{12})(-v6)?(-[a-z0-9]+)*$/i;

/** Entries of a backend pool with this prefix are ours. */
const ENTRY_PREFIX = 'fairlead-';

export function clusterMark(cluster: ClusterId): ClusterMark {
  return marked(digest(`${PART_NAME} ${cluster}`, CLUSTER_DIGITS), isClusterMark);
}

export function serviceMark(uid: ServiceUid): ServiceMark {
  return marked(digest(uid.toLowerCase(), SERVICE_DIGITS), isServiceMark);
}

export function markOf({ metadata }: Service): ServiceMark {
  return serviceMark(serviceUid(metadata.uid ?? ''));
}

/**
 * What everything of a Service in Azure is called, with a suffix of its own each: readable, and never the same for two
 * Services, however their names are cut in two.
 */
export function baseName(service: ObjectKey, cluster: ClusterMark, mark: ServiceMark): string {
  const readable = keyText(service)
    .replaceAll('/', '-')
    .slice(0, LONGEST_READABLE)
    .replace(/[^a-z0-9]+$/i, '');
  return `${readable}-${cluster}${mark}`;
}

/** Frontend, pool, probe and public address of one family. */
export function familyName(base: string, family: IpFamily): string {
  return family === 'IPv6' ? `${base}-v6` : base;
}

export function ruleName(familyName: string, protocol: string, port: number): string {
  return `${familyName}-${protocol.toLowerCase()}-${port}`;
}

/** The marks in a name of ours; undefined for a name that is not. */
export function readMarks(name: string): { readonly cluster: ClusterMark; readonly service: ServiceMark } | undefined {
  const [, cluster = '', service = ''] = MARKED.exec(name) ?? [];
  const [lowerCluster, lowerService] = [cluster.toLowerCase(), service.toLowerCase()];
  if (!isClusterMark(lowerCluster) || !isServiceMark(lowerService)) return undefined;
  return { cluster: lowerCluster, service: lowerService };
}

/** How other controllers name the pool of a local Service: two Services may share such a name. */
export function oldPoolName(service: ObjectKey, family: IpFamily): string {
  const name = keyText(service).replaceAll('/', '-').toLowerCase();
  return family === 'IPv6' ? `${name}-ipv6` : name;
}

/** What the entry of a node is called in a backend pool. */
export function entryName(address: string): string {
  return `${ENTRY_PREFIX}${address.replaceAll(':', '-')}`;
}

export function isEntryName(name: string): boolean {
  return name.startsWith(ENTRY_PREFIX);
}

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

function marked<Mark extends string>(text: string, isMark: (text: string) => text is Mark): Mark {
  if (!isMark(text)) throw new TypeError(`${text} is no mark`);
  return text;
}

function isClusterMark(text: string): text is ClusterMark {
  return text.length === CLUSTER_DIGITS;
}

function isServiceMark(text: string): text is ServiceMark {
  return text.length === SERVICE_DIGITS;
}
