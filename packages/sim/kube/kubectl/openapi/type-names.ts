import type { ServedKind } from '../../kinds/kind.ts';
import type { Schema, StructSchema } from '../../schema/schema.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const CORE = 'io.k8s.api.core.v1';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** What all groups share. */
const META_TYPES = new Set([
  'Condition',
  'LabelSelector',
  'LabelSelectorRequirement',
  'ManagedFieldsEntry',
  'ObjectMeta',
  'OwnerReference',
]);

/** What belongs to the core group, and is used by others only. */
const CORE_TYPES = new Set(['PodTemplateSpec']);

export const WELL_KNOWN = {
  fields: `${META}.FieldsV1`,
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  jsonSchema: `${EXTENSIONS}.JSONSchemaProps`,
  listMeta: `${META}.ListMeta`,
  microTime: `${META}.MicroTime`,
  objectMeta: `${META}.ObjectMeta`,
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  time: `${META}.Time`,
} as const;

/** The full names of all types of built-in kinds. A type belongs to the first group that has it, core before others. */
export function typeNames(kinds: readonly ServedKind[]): ReadonlyMap<StructSchema, string> {
  const names = new Map<StructSchema, string>();
  const builtIn = kinds.filter(({ custom }) => !custom);
  const core = builtIn.filter(({ group }) => group === '');
  for (const { group, version, schema } of [...core, ...builtIn]) {
    nameTypes(schema, packageOf(group, version), names);
  }
  return names;
}

function nameTypes(schema: Schema, owner: string, names: Map<StructSchema, string>): void {
  switch (schema.shape) {
    case 'struct':
      if (names.has(schema)) return;
      names.set(schema, `${packageOfType(schema.name, owner)}.${schema.name}`);
      for (const field of schema.fields.values()) nameTypes(field.schema, owner, names);
      return;
    case 'list':
      nameTypes(schema.items, owner, names);
      return;
    case 'map':
      nameTypes(schema.values, owner, names);
      return;
    case 'scalar':
    case 'untyped':
      return;
  }
}

function packageOfType(name: string, owner: string): string {
  if (META_TYPES.has(name)) return META;
  return CORE_TYPES.has(name) ? CORE : owner;
}

function packageOf(group: string, version: string): string {
  if (group === '') return CORE;
  if (group === 'apiextensions.k8s.io') return EXTENSIONS;
  const [name = ''] = group.split('.');
  return `io.k8s.api.${name}.${version}`;
}

/** The full name of a custom resource's type: its group read from the right. */
export function customTypeName(group: string, version: string, kind: string): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}
