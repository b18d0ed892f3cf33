import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { armId } from '../../arm/index.ts';
import { markOf } from '../names.ts';
import { site, wantedService } from '../testing/wanted.ts';
import { desiredOptions } from './desired.ts';
import { servicesInAzure } from './leftovers.ts';
import type { ObservedAzure } from './observed.ts';
import { nameFor } from './request-bodies/child-resources.ts';

const { rules } = desiredOptions(site, undefined);
const web = wantedService('shop/web');
const service = (loadBalancerClass: string, finalizers: readonly string[] = []): Service => ({
  metadata: { namespace: 'shop', name: 'web', uid: web.uid, finalizers: [...finalizers] },
  spec: { type: 'LoadBalancer', loadBalancerClass },
});
const mark = markOf(service(''));

/** Nothing is there but a rule by which clients may come. */
const observed: ObservedAzure = {
  loadBalancers: new Map(),
  publicIps: new Map(),
  publicIpsElsewhere: new Map(),
  securityGroup: {
    id: armId('networkSecurityGroups', site.group, 'nodes'),
    name: 'nodes',
    location: 'westeurope',
    properties: {
      securityRules: [
        {
          name: `${nameFor(site, web, 'IPv4')}-deny`,
          properties: { direction: 'Inbound', access: 'Deny', protocol: '*', priority: 4096 },
        },
      ],
    },
  },
};

describe('what is left of a Service', () => {
  it('may be its rules in the security group alone, as where it had no public address of ours', () => {
    expect(servicesInAzure(site, observed, [], rules)).toEqual({ all: [mark], leftovers: [mark] });
  });

  it('is left, too, when it is there and is another’s by now', () => {
    const found = (made: Service) => servicesInAzure(site, observed, [made], rules).leftovers;
    expect(found(service('example.com/other'))).toEqual([mark]);
    expect(found(service(rules.loadBalancerClass))).toEqual([]);
    expect(found(service('example.com/other', [rules.finalizer]))).toEqual([]);
  });
});
