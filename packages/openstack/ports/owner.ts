import { isOurs, ownerTagList, ownerText, readOwnerTagList, readOwnerText } from '@fairlead/control';
import type { FloatingIp, Port } from '../client/index.ts';
import type { PortScope } from './pool.ts';

const POOL_TAG = 'fairlead-pool=';
const POOL_NOTE = /\] pool (\S+)$/;

/** What ch-k8s-lbaas marks its ports and floating IPs with, whichever cluster it serves. */
const FORMER_TAG = 'cah-loadbalancer.k8s.cloudandheat.com/managed';

type Marked = Pick<Port | FloatingIp, 'description' | 'tags'>;

/** Ports belong to any number of Services: the marks name cluster and pool. */
export function tagsFor({ cluster, part }: PortScope, pool: string): readonly string[] {
  return [...ownerTagList({ cluster, part }), `${POOL_TAG}${pool}`];
}

/** The same mark for the call that creates: Neutron takes a description there, and no tags. */
export function descriptionFor({ cluster, part }: PortScope, pool: string): string {
  return ownerText({ cluster, part }, `pool ${pool}`);
}

/**
 * Whether something is surely ours: marked so in its tags or its description, and by neither as that of another. A
 * process may have died between the call that describes and the one that tags.
 */
export function isMarkedOurs(scope: PortScope, { description, tags }: Marked): boolean {
  const marks = [readOwnerTagList(tags), readOwnerText(description)].filter((mark) => mark !== undefined);
  return marks.length > 0 && marks.every((mark) => isOurs(mark, scope));
}

/** Whether it carries neither our mark nor that of another cluster or part. */
export function isUnmarked({ description, tags }: Marked): boolean {
  return readOwnerTagList(tags) === undefined && readOwnerText(description) === undefined;
}

/** Whether ch-k8s-lbaas made it, and none of us has adopted it. */
export function isFormer(marked: Marked): boolean {
  return isUnmarked(marked) && marked.tags.includes(FORMER_TAG);
}

/** The pool that a port of ours was made for. */
export function poolOf({ description, tags }: Marked): string | undefined {
  const tagged = tags.find((tag) => tag.startsWith(POOL_TAG))?.slice(POOL_TAG.length);
  return tagged ?? POOL_NOTE.exec(description)?.[1];
}

/** The tags as they should be: those of others stay. Undefined where nothing is missing. */
export function missingTags(scope: PortScope, pool: string, { tags }: Marked): readonly string[] | undefined {
  const missing = tagsFor(scope, pool).filter((tag) => !tags.includes(tag));
  return missing.length === 0 ? undefined : [...tags, ...missing];
}
