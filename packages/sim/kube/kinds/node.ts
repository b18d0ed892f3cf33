import type { JsonObject } from '../../json.ts';
import type { KubeObject } from '../object.ts';
import { builtInSchema } from '../schema/built-in.ts';
import { inOrderOf } from '../schema/schema.ts';
import { cidrProblems } from '../validation/addresses.ts';
import { duplicate, type FieldProblem, forbiddenField, invalidValue } from '../validation/field-problem.ts';
import { builtIn, type ServedKind, STATUS_ONLY, STATUS_RULES } from './kind.ts';

const nodeSpec = builtInSchema('io.k8s.api.core.v1.NodeSpec');

const NOT_READY = 'node.kubernetes.io/not-ready';
const NATIVE_RESOURCE = /^(?:cpu|memory|ephemeral-storage|pods|storage|hugepages-.*|attachable-volumes-.*)$/;

export type NodeAddress = { readonly type: string; readonly address: string };

export type Node = KubeObject & {
  readonly spec: {
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly JsonObject[];
  };
  readonly status: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly addresses?: readonly NodeAddress[];
  };
};

/** The decoder has made sure of the rest. */
export function isNode(object: KubeObject): object is Node {
  return object.kind === 'Node' && object.apiVersion === 'v1';
}

function asNode(object: KubeObject): Node {
  if (isNode(object)) return object;
  throw new TypeError(`expected a Node, not a ${object.kind}`);
}

/** The older field counts where the two do not agree. */
function withPodRanges(object: KubeObject): KubeObject {
  const { spec } = asNode(object);
  const { podCIDR = '', podCIDRs = [] } = spec;
  const ranges = podCIDR !== '' && podCIDR !== podCIDRs[0] ? [podCIDR] : podCIDRs;
  const [first] = ranges;
  if (first === undefined || (first === podCIDR && ranges === podCIDRs)) return object;
  return { ...object, spec: inOrderOf(nodeSpec, { ...spec, podCIDR: first, podCIDRs: ranges }) };
}

function withAllocatable(object: KubeObject): KubeObject {
  const { status } = asNode(object);
  if (status.allocatable !== undefined || status.capacity === undefined) return object;
  const { capacity, ...rest } = status;
  return { ...object, status: { capacity, allocatable: capacity, ...rest } };
}

/** Nothing is scheduled onto a new node before the node controller says that it is ready. */
function withTaint(object: KubeObject): KubeObject {
  const { spec } = asNode(object);
  const taints = spec.taints ?? [];
  if (taints.some((taint) => taint.key === NOT_READY && taint.effect === 'NoSchedule')) return object;
  return { ...object, spec: { ...spec, taints: [...taints, { key: NOT_READY, effect: 'NoSchedule' }] } };
}

function nodeProblems({ spec, status }: Node): readonly FieldProblem[] {
  const cidrs = (spec.podCIDRs ?? []).flatMap((cidr, index) => cidrProblems(`spec.podCIDRs[${index}]`, cidr));
  return [...resourceProblems(status), ...cidrs];
}

function resourceProblems(status: Node['status']): readonly FieldProblem[] {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(status[list] ?? {}).flatMap(([name, amount]) => {
      if (NATIVE_RESOURCE.test(name) || !/\d[mnu]$/.test(amount)) return [];
      return [invalidValue(`status.${list}.${name}`, amount, 'must be an integer')];
    }),
  );
}

function nodeUpdateProblems(next: Node, previous: Node): readonly FieldProblem[] {
  const problems = [...resourceProblems(next.status)];
  const addresses = next.status.addresses ?? [];
  for (const [index, { type, address }] of addresses.entries()) {
    const first = addresses.findIndex((other) => other.type === type && other.address === address);
    if (first < index) problems.push(duplicate(`status.addresses[${index}]`, { Type: type, Address: address }));
  }
  const before = previous.spec.podCIDRs ?? [];
  const after = next.spec.podCIDRs ?? [];
  if (before.length > 0 && before.join() !== after.join()) {
    problems.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  const provider = previous.spec.providerID ?? '';
  if (provider !== '' && next.spec.providerID !== provider) {
    problems.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  return problems;
}

export const nodes: ServedKind = builtIn({
  plural: 'nodes',
  kind: 'Node',
  shortNames: ['no'],
  namespaced: false,
  schema: builtInSchema('io.k8s.api.core.v1.Node'),
  defaults: (object) => withAllocatable(withPodRanges(object)),
  rules: {
    ...STATUS_RULES,
    admit: (object, previous) => (previous === undefined ? withTaint(object) : object),
    validateCreate: (object) => nodeProblems(asNode(object)),
    update: {
      ...STATUS_RULES.update,
      validate: (next, previous) => [
        ...nodeProblems(asNode(next)),
        ...nodeUpdateProblems(asNode(next), asNode(previous)),
      ],
    },
    subresources: new Map([
      ['status', { ...STATUS_ONLY, validate: (next, previous) => nodeUpdateProblems(asNode(next), asNode(previous)) }],
    ]),
  },
  selectable: {
    names: ['metadata.name', 'spec.unschedulable'],
    read: (object) => ({ 'spec.unschedulable': String(asNode(object).spec.unschedulable ?? false) }),
  },
});
