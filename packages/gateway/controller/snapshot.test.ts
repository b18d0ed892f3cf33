import { systemClock } from '@fairlead/control/adapters';
import type { Service } from '@fairlead/kube';
import { expect, it } from 'vitest';
import { staticAddresses } from './addresses/static-addresses.ts';
import { gatewayConfiguration, poolsOf } from './configuration.ts';
import { claimRules } from './desired.ts';
import { takeSnapshot } from './snapshot.ts';

const pools = poolsOf(gatewayConfiguration().parse({ addresses: ['192.0.2.1'] }));

function recording(name: string, l2Port: string): Service {
  const annotations = { 'gateway.fairlead.dev/l2-ports': l2Port, 'gateway.fairlead.dev/l4-ports': 'TCP/80' };
  return {
    metadata: { namespace: 'shop', name, annotations },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'fairlead.dev/gateway',
      ipFamilies: ['IPv4'],
      ports: [{ port: 80 }],
    },
  };
}

it('takes no account of records of what is in no pool, whoever writes them', async () => {
  const l2Ports = await staticAddresses(pools).list(new AbortController().signal);
  const ignored = async (l2Port: string) => {
    const services = [recording('one', l2Port), recording('two', l2Port)];
    const input = { l2Ports, pools, limits: {}, services, rules: claimRules(undefined) };
    return (await takeSnapshot(input, systemClock)).ignoredRecords;
  };
  expect(await ignored('192.0.2.1')).toEqual(['shop/one', 'shop/two']);
  expect(await ignored('192.0.2.99')).toEqual([]);
});
