import { describe, expect, it } from 'vitest';
import type { Json } from '../../../json.ts';
import { asDefinition } from '../../crd/definition.ts';
import { customPrinter } from './custom-printer.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

function definition(columns: Json) {
  return asDefinition({
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: 'ships.harbour.example' },
    spec: {
      group: 'harbour.example',
      names: { plural: 'ships', kind: 'Ship' },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, ...(columns === null ? {} : { additionalPrinterColumns: columns }) },
      ],
    },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
  });
}

const ship = {
  kind: 'Ship',
  apiVersion: 'harbour.example/v1',
  metadata: { name: 'gull', creationTimestamp: '2026-03-01T11:00:00Z' },
  spec: { length: 12.5, sails: true, name: 'Gull', crew: [{ z: 1, a: 'x' }], none: null },
};

describe('the columns of a custom resource', () => {
  it('are a name and an age where the definition names none', () => {
    const printer = customPrinter(definition(null), 'v1');
    expect(printer.columns.map(({ name }) => name)).toEqual(['Name', 'Age']);
    expect(printer.cells(ship, NOW)).toEqual(['gull', '60m']);
  });

  it('hold what fits their type, and nothing else', () => {
    const column = (type: string, jsonPath: string) => ({ name: `${type} ${jsonPath}`, type, jsonPath });
    const types = ['string', 'integer', 'number', 'boolean', 'date'];
    const cellsAt = (path: string) => {
      const asked = types.map((type) => column(type, path));
      return customPrinter(definition(asked), 'v1').cells(ship, NOW).slice(1);
    };
    expect(cellsAt('.spec.length')).toEqual(['12.5', 12, 12.5, null, null]);
    expect(cellsAt('.spec.sails')).toEqual(['true', null, null, true, null]);
    expect(cellsAt('.spec.name')).toEqual(['Gull', null, null, null, '<invalid>']);
    expect(cellsAt('.spec.crew')).toEqual(['[{"a":"x","z":1}]', null, null, null, null]);
    expect(cellsAt('.spec.none')).toEqual([null, null, null, null, null]);
    expect(cellsAt('.metadata.creationTimestamp')).toEqual(['2026-03-01T11:00:00Z', null, null, null, '60m']);
  });

  it('are described by the definition, or by where they look', () => {
    const asked = [
      {
        name: 'Length',
        type: 'integer',
        jsonPath: '.spec.length',
        description: 'How long',
        priority: 1,
        format: 'int32',
      },
      { name: 'Sails', type: 'odd', jsonPath: '.spec.sails' },
    ];
    expect(customPrinter(definition(asked), 'v1').columns.slice(1)).toEqual([
      { name: 'Length', type: 'integer', format: 'int32', description: 'How long', priority: 1 },
      {
        name: 'Sails',
        type: 'string',
        format: '',
        description: 'Custom resource definition column (in JSONPath format): .spec.sails',
        priority: 0,
      },
    ]);
  });
});
