import { codeOf, messageOf } from '@fairlead/control';
import { GoldenFolder } from '@fairlead/control/testing';
import { keyText, services } from '@fairlead/kube';
import { documentsOf } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { serviceFields } from './handlers/service-fields.ts';
import { isNewerShape, readResource } from './resource/older-shapes.ts';
import { kuryrLoadBalancers } from './resource/types.ts';
import { testSite } from './testing/test-site.ts';

const site = {
  ...testSite,
  floatingNetworkId: 'public',
  serviceSubnet: { id: 'services', cidr: '10.96.0.0/16', network_id: 'network-3' },
  memberSecurityGroupIds: ['pods'],
  classes: { gold: { networkId: 'gold-network', floatingNetworkId: 'gold-public', memberSubnetId: 'gold-members' } },
};

/** What each folder of testdata turns its inputs, one or more YAML documents, into. */
const translations: Readonly<Record<string, (documents: readonly unknown[]) => unknown>> = {
  services: (documents) =>
    documentsOf(services, documents).map((service) => {
      const name = keyText(service.metadata);
      try {
        return { service: name, fields: serviceFields(service, site) };
      } catch (error) {
        return { service: name, refused: codeOf(error), because: messageOf(error) };
      }
    }),
  'older-shapes': (documents) =>
    documentsOf(kuryrLoadBalancers, documents).map((resource) => ({
      resource: keyText(resource.metadata),
      isNewer: isNewerShape(resource),
      spec: readResource(resource).spec,
    })),
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
