import { customKinds } from './crd/custom-kind.ts';
import { type Definition, isDefinition, isEstablished } from './crd/definition.ts';
import { customResourceDefinitions } from './crd/kind.ts';
import { configMaps, leases, secrets, serviceAccounts } from './kinds/configuration.ts';
import { deployments } from './kinds/deployment.ts';
import { endpointSlices, endpointsKind } from './kinds/endpoints.ts';
import { events, groupEvents } from './kinds/event.ts';
import type { ServedKind } from './kinds/kind.ts';
import { namespaces } from './kinds/namespace.ts';
import { nodes } from './kinds/node.ts';
import { pods } from './kinds/pod/kind.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './kinds/rbac.ts';
import { services } from './kinds/service/kind.ts';
import type { Store } from './store/store.ts';

/** The kinds that are always there. */
export const BUILT_IN_KINDS: readonly ServedKind[] = [
  configMaps,
  endpointsKind,
  events,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  services,
  customResourceDefinitions,
  leases,
  endpointSlices,
  groupEvents,
  deployments,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
];

/** Every kind that is served: the built-in ones, and those that CustomResourceDefinitions define. */
export class Registry {
  readonly #custom = new Map<string, readonly ServedKind[]>();
  #all: readonly ServedKind[] | undefined;
  #byCollection: ReadonlyMap<string, ServedKind> | undefined;
  #byPath: ReadonlyMap<string, ServedKind> | undefined;

  constructor(store: Store) {
    store.subscribe(customResourceDefinitions.collection, ({ after, key }) => {
      this.#define(key, after !== undefined && isDefinition(after.object) ? after.object : undefined);
    });
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    this.#byPath ??= new Map(
      this.all()
        .toReversed()
        .map((kind) => [pathOf(kind), kind]),
    );
    return this.#byPath.get(pathOf({ group, version, plural }));
  }

  hasGroup(group: string): boolean {
    return this.all().some((kind) => kind.group === group);
  }

  /** Only custom resources are in this group. */
  isCustomGroup(group: string): boolean {
    return !BUILT_IN_KINDS.some((kind) => kind.group === group);
  }

  all(): readonly ServedKind[] {
    this.#all ??= [...BUILT_IN_KINDS, ...[...this.#custom.values()].flat()];
    return this.#all;
  }

  /** One kind for each collection: the one in whose form its objects are stored. */
  collections(): readonly ServedKind[] {
    return [...this.#collections().values()];
  }

  /** The kind in whose form the objects of a collection are stored. */
  ofCollection(collection: string): ServedKind | undefined {
    return this.#collections().get(collection);
  }

  #collections(): ReadonlyMap<string, ServedKind> {
    if (this.#byCollection === undefined) {
      const kinds = this.all().toReversed();
      this.#byCollection = new Map(kinds.map((kind) => [kind.collection, kind]));
    }
    return this.#byCollection;
  }

  #define(name: string, definition: Definition | undefined): void {
    this.#byCollection = undefined;
    this.#byPath = undefined;
    this.#all = undefined;
    if (definition === undefined || !isEstablished(definition)) this.#custom.delete(name);
    else this.#custom.set(name, customKinds(definition));
  }
}

function pathOf({ group, version, plural }: Pick<ServedKind, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`;
}
