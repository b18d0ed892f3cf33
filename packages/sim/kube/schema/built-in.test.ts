import { describe, expect, it } from 'vitest';
import { asKubeObject } from '../object.ts';
import { builtInSchema } from './built-in.ts';
import { decodeObject } from './decode.ts';
import { withSchemaDefaults } from './defaults.ts';
import { TYPES } from './generated.ts';
import type { GeneratedType } from './generated-type.ts';
import { SERVER_DEFAULTS } from './server-defaults.ts';

describe('the schemas of the built-in kinds', () => {
  it('have every field that the server gives a default', () => {
    const types: Readonly<Record<string, GeneratedType>> = TYPES;
    const unknown = Object.entries(SERVER_DEFAULTS).flatMap(([name, defaults]) =>
      Object.keys(defaults).filter((field) => types[name]?.fields[field] === undefined),
    );
    expect(unknown).toEqual([]);
  });

  it('write null where a pointer has no value, and zero where a plain field has none', () => {
    const { object: spec } = decodeObject(builtInSchema('io.k8s.api.apps.v1.DeploymentSpec'), {});
    expect(spec).toMatchObject({ selector: null, strategy: {} });
    const { object: port } = decodeObject(builtInSchema('io.k8s.api.core.v1.ServicePort'), {});
    expect(port).toEqual({ port: 0, targetPort: 0 });
    const { object: divided } = decodeObject(builtInSchema('io.k8s.api.core.v1.ResourceFieldSelector'), {});
    expect(divided).toEqual({ resource: '', divisor: '0' });
  });

  it('give an empty text as default only where it is written', () => {
    const container = { name: 'main', livenessProbe: { grpc: { port: 1 } }, env: [{ name: 'A', valueFrom: {} }] };
    const pod = { kind: 'Pod', apiVersion: 'v1', metadata: {}, spec: { containers: [container] } };
    const schema = builtInSchema('io.k8s.api.core.v1.Pod');
    const { spec } = withSchemaDefaults(schema, asKubeObject({ ...pod, ...decodeObject(schema, pod).object }));
    expect(spec).toMatchObject({ containers: [{ livenessProbe: { grpc: { port: 1, service: '' } } }] });
  });

  it('are the same object each time, so that what is known about one is found again', () => {
    const { fields } = builtInSchema('io.k8s.api.core.v1.Service');
    expect(fields.get('spec')?.schema).toBe(builtInSchema('io.k8s.api.core.v1.ServiceSpec'));
  });
});
