import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { serviceGatewayConfiguration } from './configuration.ts';
import { serviceGatewayMetrics } from './metrics.ts';

const page = await readFile(new URL('../../../docs/azure-service-gateway.md', import.meta.url), 'utf8');

/** Every key of the configuration that holds a value: `addressLocations.maximumAddresses`. */
function keysOf(schema: unknown, path = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ('items' in schema && isObject(schema.items)) return keysOf(schema.items, `${path}[]`);
  if (!isObject(schema)) return [path];
  return Object.entries(schema.properties).flatMap(([key, value]) =>
    keysOf(value, path === '' || path === 'cloud' ? key : `${path}.${key}`),
  );
}

function isObject(schema: unknown): schema is { readonly properties: object } {
  return typeof schema === 'object' && schema !== null && 'properties' in schema;
}

describe('the page of the part', () => {
  it.each(serviceGatewayMetrics.map(({ name }) => name))('tells of the metric %s', (name) => {
    expect(page).toContain(`\`${name}\``);
  });

  const keys = keysOf(z.toJSONSchema(serviceGatewayConfiguration, { io: 'output', unrepresentable: 'any' }));

  it('finds the keys of the part and of azure.json', () => {
    expect(keys).toContain('gatewayName');
    expect(keys).toContain('egressPolicy[].namespaces');
    expect(keys).toContain('aadClientSecret');
  });

  it.each(keys)('tells of the key %s', (key) => {
    expect(page).toContain(`\`${key}\``);
  });
});
