import type { ServedKind } from '../../kinds/kind.ts';
import { namespaces } from '../../kinds/namespace.ts';
import { compareVersions } from './version-order.ts';

export interface Subresource {
  readonly name: string;
  /** What it shows, where that is another kind than the resource's. */
  readonly shows?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

/** What can be asked for under one name. */
export interface Resource {
  readonly name: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly custom: boolean;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

/** A group with its versions, the preferred one first. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
}

/** The order in which the server names its own groups; those of custom resources follow by name. */
const GROUP_ORDER = [
  '',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'rbac.authorization.k8s.io',
  'apiextensions.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
];

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** Resources that are only asked questions: nothing is stored. */
const REVIEWS: readonly GroupVersion[] = [
  { group: 'authentication.k8s.io', version: 'v1', resources: [review('SelfSubjectReview')] },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    resources: [review('SelfSubjectAccessReview'), review('SubjectAccessReview')],
  },
];

function review(kind: string): Resource {
  const singular = kind.toLowerCase();
  const none = { shortNames: [], categories: [], subresources: [], custom: false };
  return { name: `${singular}s`, singular, kind, namespaced: false, verbs: ['create'], ...none };
}

/** Every group that is served, with what it holds. */
export function apiGroups(kinds: readonly ServedKind[]): readonly ApiGroup[] {
  const versions = new Map<string, GroupVersion>(REVIEWS.map((each) => [`${each.group}/${each.version}`, each]));
  for (const kind of kinds) {
    const { group, version } = kind;
    const key = `${group}/${version}`;
    const resources = [...(versions.get(key)?.resources ?? []), resourceOf(kind)];
    versions.set(key, { group, version, resources: resources.sort((a, b) => (a.name < b.name ? -1 : 1)) });
  }
  const names = [...new Set([...versions.values()].map(({ group }) => group))].sort(compareGroups);
  return names.map((name) => ({
    name,
    versions: [...versions.values()]
      .filter(({ group }) => group === name)
      .sort((a, b) => compareVersions(a.version, b.version)),
  }));
}

function compareGroups(left: string, right: string): number {
  const place = (group: string): number => (GROUP_ORDER.includes(group) ? GROUP_ORDER.indexOf(group) : Infinity);
  if (place(left) !== place(right)) return place(left) < place(right) ? -1 : 1;
  return left < right ? -1 : 1;
}

function resourceOf(kind: ServedKind): Resource {
  const { plural, singular, namespaced, shortNames, categories, custom, rules, scale } = kind;
  return {
    name: plural,
    singular,
    kind: kind.kind,
    namespaced,
    verbs: verbsOf(kind),
    shortNames,
    categories,
    subresources: [...(scale === undefined ? [] : [SCALE]), ...[...rules.subresources.keys()].sort().map(subresource)],
    custom,
  };
}

const PART_VERBS = ['get', 'patch', 'update'];
const SCALE: Subresource = {
  name: 'scale',
  shows: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  verbs: PART_VERBS,
};

function subresource(name: string): Subresource {
  return { name, verbs: name === 'finalize' ? ['update'] : PART_VERBS };
}

function verbsOf(kind: ServedKind): readonly string[] {
  if (kind === namespaces) return VERBS.filter((verb) => verb !== 'deletecollection');
  return kind.custom ? CUSTOM_VERBS : VERBS;
}
