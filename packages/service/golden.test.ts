import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type EndpointSlice, keyText, type Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { type ClaimRules, claimService } from './class-claim.ts';
import { type EndpointSelection, selectByNode, selectEndpoints } from './endpoint-selection.ts';
import { gatherEndpoints, type ServiceEndpoint } from './endpoints.ts';

/** With FAIRLEAD_UPDATE_GOLDEN=1 the outputs are rewritten: read the difference before committing it. */
const rewrites = process.env['FAIRLEAD_UPDATE_GOLDEN'] === '1';

/** What each folder of testdata turns its inputs, one or more YAML documents, into. */
const translations: Readonly<Record<string, (documents: readonly unknown[]) => unknown>> = {
  claims: (documents) => {
    const parts = documents.filter(isRules);
    return documents.filter(isService).map((service) => ({
      service: keyText(service.metadata),
      parts: parts.map((rules) => {
        const { state, reason, sentence } = claimService(service, rules);
        return { part: rules.finalizer, state, reason, sentence };
      }),
    }));
  },
  endpoints: (documents) => {
    const { ports, problems } = gatherEndpoints(documents.filter(isSlice));
    return {
      ports: ports.map(({ name, protocol, endpoints }) => ({
        name,
        protocol,
        endpoints,
        cluster: inShort(selectEndpoints(endpoints)),
        local: Object.fromEntries([...selectByNode(endpoints)].map(([node, selection]) => [node, inShort(selection)])),
      })),
      problems,
    };
  },
};

for (const [folder, translate] of Object.entries(translations)) {
  describe(`testdata/${folder}`, () => {
    const place = new URL(`testdata/${folder}/`, import.meta.url);
    const namesOf = (ending: string) =>
      readdirSync(place)
        .filter((file) => file.endsWith(ending))
        .map((file) => file.slice(0, -ending.length));
    const names = namesOf('.in.yaml');

    it.each(names)('%s', (name) => {
      const documents = parseAllDocuments(readFileSync(new URL(`${name}.in.yaml`, place), 'utf8'));
      const output = stringify(translate(documents.map((document): unknown => document.toJS())), {
        aliasDuplicateObjects: false,
        lineWidth: 0,
      });
      const expected = new URL(`${name}.out.yaml`, place);
      if (rewrites) writeFileSync(expected, output);
      expect(output).toBe(readFileSync(expected, 'utf8'));
    });

    it('has an input for every output', () => {
      expect(names).not.toEqual([]);
      expect(namesOf('.out.yaml')).toEqual(names);
    });
  });
}

function inShort({ from, endpoints }: EndpointSelection<ServiceEndpoint>): string {
  return [from, ...endpoints.map(({ address, port }) => `${address} ${port}`)].join(', ');
}

function hasKind(document: unknown, kind: string): boolean {
  return typeof document === 'object' && document !== null && 'kind' in document && document.kind === kind;
}

const isService = (document: unknown): document is Service => hasKind(document, 'Service');
const isSlice = (document: unknown): document is EndpointSlice => hasKind(document, 'EndpointSlice');
const isRules = (document: unknown): document is ClaimRules =>
  typeof document === 'object' && document !== null && 'loadBalancerClass' in document;
