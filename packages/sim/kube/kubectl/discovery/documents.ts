import type { Json, JsonObject } from '../../../json.ts';
import { KUBERNETES_VERSION, versionText } from '../../version.ts';
import type { ApiGroup, GroupVersion, Resource } from './groups.ts';

export function versionDocument(): JsonObject {
  const { major, minor } = KUBERNETES_VERSION;
  return {
    major: String(major),
    minor: String(minor),
    emulationMajor: String(major),
    emulationMinor: String(minor),
    minCompatibilityMajor: String(major),
    minCompatibilityMinor: String(minor - 1),
    gitVersion: versionText(),
    gitCommit: 'simulated',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'none',
    compiler: 'none',
    platform: 'simulated',
  };
}

/** What `/api` answers. */
export function coreVersionsDocument(serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** What `/apis` answers. */
export function groupListDocument(groups: readonly ApiGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupFields) };
}

/** What `/apis/<group>` answers. */
export function groupDocument(group: ApiGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupFields(group) };
}

function groupFields({ name, versions }: ApiGroup): JsonObject {
  const shown = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: shown, preferredVersion: shown[0] ?? null };
}

/** What `/api/v1` and `/apis/<group>/<version>` answer. */
export function resourceListDocument({ group, version, resources }: GroupVersion): JsonObject {
  const core = group === '';
  return {
    kind: 'APIResourceList',
    ...(!core && { apiVersion: 'v1' }),
    groupVersion: core ? version : `${group}/${version}`,
    resources: resources.flatMap(resourceEntries),
  };
}

function resourceEntries(resource: Resource): readonly JsonObject[] {
  const { name, singular, namespaced, kind, verbs, subresources } = resource;
  const whole = { name, singularName: singular, namespaced, kind, verbs, ...namesOf(resource) };
  const parts = subresources.map((part) => ({
    name: `${name}/${part.name}`,
    singularName: '',
    namespaced,
    ...(part.shows ?? { kind }),
    verbs: part.verbs,
  }));
  return [whole, ...parts];
}

function namesOf({ shortNames, categories }: Resource): JsonObject {
  return { ...(shortNames.length > 0 && { shortNames }), ...(categories.length > 0 && { categories }) };
}

/** What `/api` and `/apis` answer to those who ask for everything at once. */
export function aggregatedDocument(groups: readonly ApiGroup[]): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map((each) => ({
        version: each.version,
        resources: each.resources.map((resource) => aggregatedResource(each, resource)),
        freshness: 'Current',
      })),
    })),
  };
}

function aggregatedResource(owner: GroupVersion, resource: Resource): JsonObject {
  const { name, singular, kind, namespaced, verbs, subresources, custom } = resource;
  // An empty group and version mean those of the list.
  const responseKind = { group: custom ? owner.group : '', version: custom ? owner.version : '', kind };
  const parts: Json = subresources.map((part) => ({
    subresource: part.name,
    responseKind: part.shows ?? responseKind,
    verbs: part.verbs,
  }));
  return {
    resource: name,
    responseKind,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...namesOf(resource),
    ...(subresources.length > 0 && { subresources: parts }),
  };
}
