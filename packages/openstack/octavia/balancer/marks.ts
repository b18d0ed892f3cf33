import {
  type ClusterId,
  isOurs,
  type OwnerMark,
  ownerTagList,
  ownerText,
  readOwnerTagList,
  readOwnerText,
  serviceUid,
} from '@fairlead/control';

/** The part whose mark it is. */
const PART = 'octavia';
/** The most that OpenStack takes for a name. */
const LONGEST_NAME = 255;

/** Something in OpenStack that may carry a mark. Neutron takes no tags when it creates, Octavia's members no text. */
export interface Marked {
  readonly tags?: readonly string[];
  readonly description?: string;
}

/** Who owns what exists for one Service. */
export interface BalancerOwner {
  readonly cluster: ClusterId;
  readonly uid: string;
  /** `namespace/name`: how it is called in OpenStack. */
  readonly name: string;
}

export function tagsOf({ cluster, uid }: Pick<BalancerOwner, 'cluster' | 'uid'>): readonly string[] {
  return ownerTagList({ cluster, part: PART, service: serviceUid(uid) });
}

/** The tags of everything of this cluster. */
export function clusterTags(cluster: ClusterId): readonly string[] {
  return ownerTagList({ cluster, part: PART });
}

export function descriptionOf({ cluster, uid, name }: BalancerOwner): string {
  return ownerText({ cluster, part: PART, service: serviceUid(uid) }, `Service ${name}`);
}

/** For what belongs to no Service in particular. */
export function clusterText(cluster: ClusterId, note: string): string {
  return ownerText({ cluster, part: PART }, note);
}

export function readMark({ tags = [], description = '' }: Marked): OwnerMark | undefined {
  return readOwnerTagList(tags) ?? readOwnerText(description);
}

/** Whether it belongs to this cluster, be it to a Service that is gone. */
export function isOfCluster(marked: Marked, cluster: ClusterId): boolean {
  return isOurs(readMark(marked), { cluster, part: PART });
}

/** Whether it belongs to this very Service. */
export function isOwn(marked: Marked, { cluster, uid }: Pick<BalancerOwner, 'cluster' | 'uid'>): boolean {
  return isOfCluster(marked, cluster) && readMark(marked)?.service === uid;
}

/** The namespace of the Service that it belongs to, as the description says it after the mark. */
export function namespaceOf({ description = '' }: Marked): string | undefined {
  return readOwnerText(description) && /\] Service ([^/\s]+)\//.exec(description)?.[1];
}

/** The name of the VIP's port: found by it, as Neutron takes no tags in the call that creates. */
export function vipPortName(uid: string): string {
  return `fairlead-octavia-${uid}`;
}

/** Names of pods are as long as all that OpenStack takes: what is too long ends with what tells it from others. */
export function boundedName(text: string): string {
  if (text.length <= LONGEST_NAME) return text;
  const digest = fingerprint(text);
  return `${text.slice(0, LONGEST_NAME - digest.length - 1)}~${digest}`;
}

/** FNV-1a, 32 bits: to tell names apart, not to protect anything. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
