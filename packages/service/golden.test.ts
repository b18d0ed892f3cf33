import { GoldenFolder } from '@fairlead/control/testing';
import { endpointSlices, keyText, services } from '@fairlead/kube';
import { documentsOf } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { type ClaimRules, claimService } from './claim/class-claim.ts';
import { type EndpointSelection, selectByNode, selectEndpoints } from './endpoints/endpoint-selection.ts';
import { gatherEndpoints, type ServiceEndpoint } from './endpoints/endpoints.ts';

/** What each folder of testdata turns its inputs, one or more YAML documents, into. */
const translations: Readonly<Record<string, (documents: readonly unknown[]) => unknown>> = {
  claims: (documents) => {
    const parts = documents.filter(isRules);
    return documentsOf(services, documents).map((service) => ({
      service: keyText(service.metadata),
      parts: parts.map((rules) => {
        const { state, reason, sentence } = claimService(service, rules);
        return { part: rules.finalizer, state, reason, sentence };
      }),
    }));
  },
  endpoints: (documents) => {
    const { ports, problems } = gatherEndpoints(documentsOf(endpointSlices, documents));
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

for (const [place, translate] of Object.entries(translations)) {
  describe(`testdata/${place}`, () => {
    const folder = new GoldenFolder(new URL(`testdata/${place}/`, import.meta.url));

    it.each(folder.names)('%s', async (name) => {
      const { actual, expected } = await folder.pair(name, translate);
      expect(actual).toBe(expected);
    });
  });
}

function inShort({ from, endpoints }: EndpointSelection<ServiceEndpoint>): string {
  return [from, ...endpoints.map(({ address, port }) => `${address} ${port}`)].join(', ');
}

const isRules = (document: unknown): document is ClaimRules =>
  typeof document === 'object' && document !== null && 'loadBalancerClass' in document;
