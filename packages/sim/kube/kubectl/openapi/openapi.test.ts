import { readText } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectOf, textOf, valueAt } from '../../../json.ts';
import { Simulated } from '../../testing/simulated.ts';
import { readFields } from '../http/protobuf/wire.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(length: JsonObject): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ships.harbour.example' },
    spec: {
      group: 'harbour.example',
      scope: 'Namespaced',
      names: { plural: 'ships', kind: 'Ship' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: 'It floats.',
              properties: {
                length,
                draught: { 'x-kubernetes-int-or-string': true },
                cargo: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, nullable: true },
                boat: { type: 'object', 'x-kubernetes-embedded-resource': true },
                crew: { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
                tags: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
              },
            },
          },
        },
      ],
    },
  };
}

async function withShips(): Promise<Simulated> {
  const simulated = new Simulated();
  await simulated.call('POST', DEFINITIONS, definition({ type: 'integer', description: 'In metres.' }));
  await simulated.clock.advance(10_000);
  return simulated;
}

async function schemas(simulated: Simulated, path: string): Promise<JsonObject> {
  const { body } = await simulated.call('GET', `/openapi/v3/${path}`);
  return objectOf(valueAt(body, 'components', 'schemas'));
}

describe('the OpenAPI documents', () => {
  it('refer only to what they define', async () => {
    const simulated = await withShips();
    const { body } = await simulated.call('GET', '/openapi/v3');
    for (const path of Object.keys(objectOf(body.paths))) {
      const text = await readText(
        await simulated.kube.transport().send({ method: 'GET', url: `http://k/openapi/v3/${path}`, headers: {} }),
      );
      const defined = Object.keys(await schemas(simulated, path));
      const referred = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
      expect(referred.length).toBeGreaterThan(0);
      expect(defined).toEqual(expect.arrayContaining([...new Set(referred)]));
    }
  });

  it('publish the schema of a custom resource with its own words and the fields of every object', async () => {
    const ship = objectOf((await schemas(await withShips(), 'apis/harbour.example/v1'))['example.harbour.v1.Ship']);
    expect(ship).toMatchObject({
      description: 'It floats.',
      properties: {
        length: { type: 'integer', description: 'In metres.' },
        draught: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
        crew: { items: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
        tags: { additionalProperties: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
        boat: { properties: { kind: { type: 'string' }, metadata: {} } },
        metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
      },
      'x-kubernetes-group-version-kind': [{ group: 'harbour.example', kind: 'Ship', version: 'v1' }],
    });
  });

  it('are kept by their hash, and change with a definition', async () => {
    const simulated = await withShips();
    const address = async (): Promise<string> => {
      const { body } = await simulated.call('GET', '/openapi/v3');
      return textOf(valueAt(body, 'paths', 'apis/harbour.example/v1', 'serverRelativeURL'));
    };
    const before = await address();
    const kept = await simulated.call('GET', before);
    expect([kept.status, kept.headers['cache-control']]).toEqual([200, 'public, immutable']);
    await simulated.patch('merge', `${DEFINITIONS}/ships.harbour.example`, {
      spec: objectOf(definition({ type: 'number' }).spec),
    });
    const after = await address();
    expect(after).not.toBe(before);
    const moved = await simulated.call('GET', before);
    expect([moved.status, moved.headers.location]).toEqual([301, after]);
    const ship = valueAt((await simulated.call('GET', after)).body, 'components', 'schemas', 'example.harbour.v1.Ship');
    expect(valueAt(ship, 'properties', 'length')).toEqual({ type: 'number' });
  });

  it('tell clients that writes are validated', async () => {
    const { body } = await (await withShips()).call('GET', '/openapi/v3/apis/harbour.example/v1');
    const path = '/apis/harbour.example/v1/namespaces/{namespace}/ships/{name}';
    expect(valueAt(body, 'paths', path, 'patch')).toMatchObject({
      parameters: expect.arrayContaining([{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }]),
      'x-kubernetes-group-version-kind': { group: 'harbour.example', version: 'v1', kind: 'Ship' },
    });
  });

  it('come as OpenAPI 2, too, as text and as bytes', async () => {
    const simulated = await withShips();
    const { body } = await simulated.call('GET', '/openapi/v2');
    const ship = valueAt(body, 'definitions', 'example.harbour.v1.Ship', 'properties');
    expect(ship).toMatchObject({
      length: { type: 'integer', description: 'In metres.' },
      draught: { 'x-kubernetes-int-or-string': true },
      cargo: { 'x-kubernetes-preserve-unknown-fields': true },
      metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    });
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const request = { method: 'GET', url: 'http://k/openapi/v2', headers: { accept } } as const;
    const pieces: Uint8Array[] = [];
    for await (const piece of simulated.kube.handle(request).body) pieces.push(piece);
    const [definitions] = [...readFields(Buffer.concat(pieces))].filter(({ number }) => number === 9);
    const named = definitions?.type === 'bytes' ? [...readFields(definitions.value)] : [];
    const names = named.map((field) => {
      const [name] = field.type === 'bytes' ? [...readFields(field.value)] : [];
      return name?.type === 'bytes' ? new TextDecoder().decode(name.value) : '';
    });
    expect(names).toEqual(Object.keys(objectOf(body.definitions)));
    expect(names).toContain('io.k8s.api.core.v1.ServiceSpec');
  });
});
