import { VirtualClock } from '@fairlead/control';
import { failure, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { newArmClient, newAzure, scope } from '../testing/azure-bench.ts';
import { ensureServiceGateway } from './gateway-setup.ts';
import { Inventory } from './inventory.ts';
import { Repository } from './repository.ts';

const POLICIES = { privateEndpointNetworkPolicies: 'Enabled', serviceEndpoints: [{ service: 'Microsoft.Storage' }] };

function newWorld() {
  const clock = new VirtualClock();
  const azure = newAzure(clock);
  const repository = new Repository(newArmClient(clock, azure), scope, new Inventory(clock), clock);
  const subnet = () => azure.byHand({ method: 'GET', path: scope.subnetId });
  const edit = (properties: object) => {
    const body = JSON.parse(JSON.stringify({ properties: { addressPrefix: '10.0.0.0/16', ...properties } }));
    azure.byHand({ method: 'PUT', path: scope.subnetId, body });
  };
  return { clock, azure, repository, subnet, edit };
}

describe('setting up the service gateway', () => {
  const whole = {
    sku: { name: 'Standard', tier: 'Regional' },
    properties: {
      virtualNetwork: { id: scope.networkId },
      routeTargetAddress: { subnet: { id: scope.subnetId }, privateIPAllocationMethod: 'Dynamic' },
    },
  };

  it('creates the gateway whole: its SKU, and the address that traffic is led to', async () => {
    const { clock, azure, repository } = newWorld();
    expect(await result(clock, ensureServiceGateway(repository, {}))).toEqual({ created: true, attached: true });
    expect(azure.resource(scope.gatewayId)).toMatchObject(whole);
    expect(await result(clock, ensureServiceGateway(repository, {}))).toEqual({ created: false, attached: false });
  });

  it('completes a gateway that has no address for traffic, and leaves the rest of it as it is', async () => {
    const { clock, azure, repository } = newWorld();
    const properties = { virtualNetwork: { id: scope.networkId } };
    const body = { location: scope.location, tags: { team: 'network' }, properties };
    azure.byHand({ method: 'PUT', path: scope.gatewayId, body });
    expect(await result(clock, ensureServiceGateway(repository, {}))).toEqual({ created: true, attached: true });
    expect(azure.resource(scope.gatewayId)).toMatchObject({ ...whole, tags: { team: 'network' } });
    expect(azure.overwrites).toEqual([]);
  });

  it('leaves everything else about the subnet as it is', async () => {
    const { clock, repository, subnet, edit } = newWorld();
    edit(POLICIES);
    await result(clock, ensureServiceGateway(repository, {}));
    expect(subnet()).toMatchObject({ properties: { ...POLICIES, serviceGateway: { id: scope.gatewayId } } });
  });

  it('does not overwrite what another program writes to the subnet meanwhile', async () => {
    const { clock, azure, repository, subnet, edit } = newWorld();
    await result(clock, ensureServiceGateway(repository, {}));
    edit({});
    azure.behave({ latency: { minimum: 1_000, maximum: 1_000 } });
    // The gateway is read within a second, the subnet within the next; its write arrives half a second later.
    clock.setTimer(2_200, () => edit(POLICIES));
    const error = await failure(clock, ensureServiceGateway(repository, {}));
    expect(error).toMatchObject({ status: 412, verdict: 'retriable' });
    expect(subnet()).toMatchObject({ properties: POLICIES });
    await result(clock, ensureServiceGateway(repository, {}));
    expect(subnet()).toMatchObject({ properties: { ...POLICIES, serviceGateway: { id: scope.gatewayId } } });
    expect(azure.overwrites).toEqual([]);
  });
});
