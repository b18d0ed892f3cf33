import { sleep } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  type KubeClient,
  type KubeObject,
  namespaces,
  type Resource,
  services,
} from '@fairlead/kube';
import type { Part } from '@fairlead/part';

const SERVED_MILLISECONDS = 50;

/** Creates objects of a scene, after the definitions of the parts, as the chart brings them. */
export async function createObjects(
  client: KubeClient,
  parts: readonly Part[],
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  const definitions = parts.flatMap(({ customResources }) => customResources);
  for (const definition of definitions) {
    await client.create(customResourceDefinitions, definition, { signal });
    const resource = resourceOf(definition);
    while (!(await client.serves(resource, { signal }))) await sleep(systemClock, SERVED_MILLISECONDS, signal);
  }
  const kinds = new Map<string, Resource<KubeObject>>(
    [namespaces, services, ...definitions.map(resourceOf)].map((one) => [one.kind, one]),
  );
  for (const object of objects) {
    const resource = kinds.get(object.kind ?? '');
    if (resource === undefined) throw new Error(`the demo cannot create a ${object.kind}`);
    await client.create(resource, object, { signal });
  }
}

function resourceOf({ spec }: CustomResourceDefinition): Resource<KubeObject> {
  const { plural, kind } = spec.names;
  const version = spec.versions.find(({ storage }) => storage)?.name ?? '';
  return { group: spec.group, version, plural, kind, namespaced: spec.scope === 'Namespaced' };
}
