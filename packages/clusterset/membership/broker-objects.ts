import {
  type ConfigMap,
  configMaps,
  customResourceDefinitions,
  type KubeObject,
  type Lease,
  leases,
  namespaces,
  type Resource,
} from '@fairlead/kube';
import { mcsDefinitions } from '../mcs/definitions.ts';
import { MCS_GROUP, SOURCE_CLUSTER } from '../mcs/types.ts';
import { CLUSTERSET } from '../records/marks.ts';
import { memberNamespace } from '../records/names.ts';
import { registrationData, registrationName } from '../records/registration.ts';

/*
 * What a cluster needs at the broker: a namespace of its own, an identity that may write there alone, what it was
 * admitted with, and a Lease.
 */

/** Which cluster of which clusterset, and where its broker keeps things. */
export interface Member {
  readonly clusterset: string;
  readonly cluster: string;
  readonly brokerNamespace: string;
  /** Of its pods and Services, where no other cluster may have the same. */
  readonly ranges?: readonly string[];
  /** Of its namespace kube-system: tells it from another cluster of the same name. */
  readonly uid?: string;
  /** Where older software keeps its ServiceImports: those of this cluster are to go from there. */
  readonly olderNamespace?: string;
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface Role extends KubeObject {
  readonly rules: readonly Rule[];
}

interface Binding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: 'Role' | 'ClusterRole'; readonly name: string };
  readonly subjects: readonly { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string }[];
}

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const roles: Resource<Role> = { ...RBAC, plural: 'roles', kind: 'Role', namespaced: true };
const roleBindings: Resource<Binding> = { ...RBAC, plural: 'rolebindings', kind: 'RoleBinding', namespaced: true };
const clusterRoles: Resource<Role> = { ...RBAC, plural: 'clusterroles', kind: 'ClusterRole', namespaced: false };
const clusterRoleBindings: Resource<Binding> = {
  ...RBAC,
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};
const serviceAccounts: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};

/** One object, and where it goes. */
export interface Placed {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

const placed = <Kind extends KubeObject>(resource: Resource<Kind>, object: Kind): Placed => ({ resource, object });

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete'];
const SLICES: Omit<Rule, 'verbs'> = { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'] };
const IMPORTS: Omit<Rule, 'verbs'> = { apiGroups: [MCS_GROUP], resources: ['serviceimports', 'serviceimports/status'] };
const LEASES: Omit<Rule, 'verbs'> = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
const REGISTRATIONS: Omit<Rule, 'verbs'> = { apiGroups: [''], resources: ['configmaps'] };

/** The account by which a cluster is known at the broker. */
export function accountOf({ brokerNamespace, cluster }: Pick<Member, 'brokerNamespace' | 'cluster'>): {
  readonly namespace: string;
  readonly name: string;
} {
  return { namespace: memberNamespace(brokerNamespace, cluster), name: 'member' };
}

export function accountObject(member: Member): Placed {
  const { clusterset, cluster } = member;
  const labels = { [CLUSTERSET]: clusterset, [SOURCE_CLUSTER]: cluster };
  return placed(serviceAccounts, { metadata: { ...accountOf(member), labels } });
}

/** What all clusters of the clusterset share. */
export function sharedObjects({ clusterset, brokerNamespace }: Member): readonly Placed[] {
  const labels = { [CLUSTERSET]: clusterset };
  return [
    ...mcsDefinitions.map((definition) => placed(customResourceDefinitions, definition)),
    placed(namespaces, { metadata: { name: brokerNamespace, labels } }),
  ];
}

/** What this cluster has for itself, in the order in which it is made. The Lease comes last: by it, it is a member. */
export function memberObjects(member: Member): readonly Placed[] {
  const { clusterset, cluster, brokerNamespace, ranges = [], uid, olderNamespace } = member;
  const account = accountOf(member);
  const own = account.namespace;
  const labels = { [CLUSTERSET]: clusterset, [SOURCE_CLUSTER]: cluster };
  const role = (namespace: string, name: string, rules: readonly Rule[]) => [
    placed(roles, { metadata: { namespace, name, labels }, rules }),
    placed(roleBindings, { metadata: { namespace, name, labels }, ...bound('Role', name, account) }),
  ];
  return [
    placed(namespaces, { metadata: { name: own, labels } }),
    accountObject(member),
    ...role(own, 'member', [
      { ...SLICES, verbs: [...READ, ...WRITE] },
      { ...IMPORTS, verbs: [...READ, ...WRITE] },
      // It renews its token before it expires.
      { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'], resourceNames: [account.name] },
    ]),
    ...role(brokerNamespace, own, [
      { ...IMPORTS, verbs: [...READ, ...WRITE] },
      { ...LEASES, verbs: READ },
      { ...REGISTRATIONS, verbs: READ },
      // No other cluster can be made to look alive, or dead.
      { ...LEASES, verbs: ['update', 'patch'], resourceNames: [cluster] },
    ]),
    ...(olderNamespace === undefined
      ? []
      : role(olderNamespace, own, [{ ...IMPORTS, verbs: ['get', 'update', 'delete'] }])),
    placed(clusterRoles, {
      metadata: { name: own, labels },
      rules: [
        { ...SLICES, verbs: READ },
        { ...IMPORTS, verbs: READ },
      ],
    }),
    placed(clusterRoleBindings, { metadata: { name: own, labels }, ...bound('ClusterRole', own, account) }),
    placed<ConfigMap>(configMaps, {
      metadata: { namespace: brokerNamespace, name: registrationName(cluster), labels },
      data: registrationData({ uid, ranges }),
    }),
    placed<Lease>(leases, {
      metadata: { namespace: brokerNamespace, name: cluster, labels },
      spec: { holderIdentity: cluster },
    }),
  ];
}

function bound(
  kind: 'Role' | 'ClusterRole',
  name: string,
  account: { readonly namespace: string; readonly name: string },
) {
  return {
    roleRef: { apiGroup: RBAC.group, kind, name },
    subjects: [{ kind: 'ServiceAccount', ...account }] as const,
  };
}
