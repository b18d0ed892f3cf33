import { listOf, objectOf, textOf, valueAt } from '../../../../json.ts';
import type { KubeObject } from '../../../object.ts';
import { ageOf } from '../age.ts';
import { column, NAME_COLUMN, orNone, type Printer, wide } from '../printer.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

function statusOf({ spec, status }: KubeObject): string {
  const conditions = listOf(valueAt(status, 'conditions')).map(objectOf);
  const ready = conditions.findLast(({ type }) => type === 'Ready');
  const readiness = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return valueAt(spec, 'unschedulable') === true ? `${readiness},SchedulingDisabled` : readiness;
}

function rolesOf({ metadata }: KubeObject): string {
  const roles = Object.entries(metadata.labels ?? {}).map(([name, value]) => {
    if (name.startsWith(ROLE_PREFIX)) return name.slice(ROLE_PREFIX.length);
    return name === ROLE_LABEL ? value : '';
  });
  return orNone([...new Set(roles.filter((role) => role !== ''))].sort().join(','));
}

function addressOf({ status }: KubeObject, wanted: string): string {
  const addresses = listOf(valueAt(status, 'addresses')).map(objectOf);
  return textOf(addresses.find(({ type }) => type === wanted)?.address ?? '<none>');
}

function known(text: string): string {
  return text === '' ? '<unknown>' : text;
}

export const nodePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    ...['Status', 'Roles', 'Age', 'Version'].map((name) => column(name)),
    ...wide('Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime'),
  ],
  cells(node, now) {
    const information = objectOf(valueAt(node.status, 'nodeInfo'));
    const field = (name: string): string => textOf(information[name]);
    const architecture = field('architecture') === '' ? '' : ` (${field('architecture')})`;
    return [
      node.metadata.name,
      statusOf(node),
      rolesOf(node),
      ageOf(node.metadata.creationTimestamp, now),
      field('kubeletVersion'),
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      known(field('osImage')),
      `${known(field('kernelVersion'))}${architecture}`,
      known(field('containerRuntimeVersion')),
    ];
  },
};
