import type { Service } from '@fairlead/kube';
import { serviceKey } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import { childArmId, type LoadBalancer } from '../../arm/index.ts';
import { baseName, markOf, ruleName } from '../names.ts';
import { loadBalancerId } from '../site.ts';
import { site } from '../testing/wanted.ts';
import { desiredOptions } from './desired.ts';
import { decide } from './outcome.ts';

function service(name: string, recorded?: string, ipFamilies: readonly ('IPv4' | 'IPv6')[] = ['IPv4']): Service {
  const annotations = recorded === undefined ? {} : { 'azure-local.fairlead.dev/load-balancer': recorded };
  return {
    metadata: { namespace: 'shop', name, uid: `uid-${name}`, annotations },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'fairlead.dev/azure-local',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30_123,
      ipFamilies,
      ports: [{ port: 80 }],
    },
  };
}

const ruleOf = ({ metadata }: Service, owner: Service) =>
  ruleName(baseName({ namespace: 'shop', name: metadata.name }, site.mark, markOf(owner)), 'TCP', 80);
const RULE = {
  protocol: 'Tcp',
  frontendPort: 80,
  backendPort: 80,
  frontendIPConfiguration: { id: childArmId('frontendIPConfigurations', loadBalancerId(site, 'one'), 'web') },
} as const;
const theirs = (count: number) => Array.from({ length: count }, (_, index) => `theirs-${index}`);

/** Where these go, beside those of the cluster, with the rules that are there. */
function placed(
  services: readonly Service[],
  rules: Readonly<Record<string, readonly string[]>>,
  others: readonly Service[] = [],
) {
  const bodies = Object.entries(rules).map(([name, names]): [string, LoadBalancer] => [
    name,
    {
      id: loadBalancerId(site, name),
      name,
      location: 'westeurope',
      sku: { name: 'Standard' },
      properties: { loadBalancingRules: names.map((rule) => ({ name: rule, properties: RULE })) },
    },
  ]);
  const outcomes = decide({
    site,
    options: desiredOptions(site, undefined),
    services,
    cluster: [...services, ...others],
    loadBalancers: new Map(bodies),
  });
  return services.map(({ metadata }) => {
    const outcome = outcomes.get(serviceKey(metadata));
    return outcome?.kind === 'serve' ? outcome.target.loadBalancer : outcome?.kind;
  });
}

describe('the place of a Service', () => {
  it('is chosen with what others are to have there, for each of their families', () => {
    const dual = service('dual', 'one', ['IPv4', 'IPv6']);
    expect(placed([service('new')], { two: theirs(1) }, [dual])).toEqual(['two']);
  });

  it('is chosen with what others have there counted once, be it recorded or not', () => {
    const web = service('web', 'one');
    const rules = { one: [...theirs(248), ruleOf(web, web)], two: theirs(250) };
    expect(placed([service('new')], rules, [web])).toEqual(['one']);
  });

  it('is chosen with those that are decided for together counted once', () => {
    expect(placed([service('a', 'one'), service('b')], { two: theirs(1) })).toEqual(['one', 'one']);
  });

  it('is not what an owner records where there is no room, unless the Service has rules there', () => {
    const web = service('web', 'one');
    expect(placed([web], { one: theirs(250) })).toEqual(['two']);
    expect(placed([web], { one: [...theirs(250), ruleOf(web, web)] })).toEqual(['one']);
    expect(placed([web], { one: [...theirs(250), ruleOf(web, service('other'))] })).toEqual(['two']);
  });

  it('is another one when it asks for more rules than there is room for, and none when there is no room anywhere', () => {
    const web = service('web', 'one', ['IPv4', 'IPv6']);
    const full = [...theirs(249), ruleOf(web, web)];
    expect(placed([web], { one: full })).toEqual(['two']);
    expect(placed([web], { one: full, two: theirs(249) })).toEqual(['refuse']);
    expect(placed([web], { one: full.slice(1), two: theirs(249) })).toEqual(['one']);
  });
});
