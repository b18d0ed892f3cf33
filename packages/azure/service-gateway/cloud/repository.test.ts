import { Readable } from 'node:stream';
import { isWithoutEffect } from '@fairlead/cloud';
import { type HttpTransport, VirtualClock } from '@fairlead/control';
import { failure } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { newArmClient, newAzure, scope } from '../testing/azure-bench.ts';
import { armId } from '../../arm/index.ts';
import { inbound, outbound } from '../testing/keys.ts';
import { Inventory } from './inventory.ts';
import { Repository } from './repository.ts';

const registration = {
  isDelete: false,
  service: { name: 'web', properties: { serviceType: 'Inbound', loadBalancerBackendPools: null } },
} as const;

function newRepository(clock: VirtualClock, transport: HttpTransport): Repository {
  return new Repository(newArmClient(clock, transport), scope, new Inventory(clock), clock);
}

describe('Repository', () => {
  it('does not tell the address of another resource for an operator’s own of the same name in another group', () => {
    const clock = new VirtualClock();
    const inventory = new Inventory(clock);
    const body = {
      name: 'pip',
      location: scope.location,
      sku: { name: 'StandardV2' },
      properties: { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4', ipAddress: '198.18.0.7' },
    } as const;
    const here = armId('publicIPAddresses', scope.group, 'pip');
    inventory.set('publicIPAddresses', here, { state: 'present', body: { ...body, id: here } });
    const addressIn = (resourceGroup: string) => {
      const own = { IPv4: armId('publicIPAddresses', { ...scope.group, resourceGroup }, 'pip') };
      const egressAddresses = new Map([[outbound('blue'), { areKept: false, own }]]);
      const client = newArmClient(clock, newAzure(clock));
      return new Repository(client, { ...scope, egressAddresses }, inventory, clock).knownAddress(
        outbound('blue'),
        'IPv4',
      );
    };
    expect(addressIn(scope.group.resourceGroup.toUpperCase())).toBe('198.18.0.7');
    expect(addressIn('theirs')).toBeUndefined();
  });

  it('does not know what became of a call that was accepted with a link that leads astray', async () => {
    const clock = new VirtualClock();
    const accept: HttpTransport = {
      async send() {
        const headers = { location: 'https://elsewhere.test/operations/1' };
        return { status: 202, headers, body: Readable.from([]) };
      },
    };
    const repository = newRepository(clock, accept);
    const error = await failure(clock, repository.updateServices([registration], {}));
    expect(error).toMatchObject({ code: 'untrusted-link', verdict: 'terminal' });
    expect(isWithoutEffect(error)).toBe(false);
    expect(repository.inventory.registration(inbound('web')).state).toBe('unknown');
  });

  it('does not know what became of a call that got no answer before its operation failed', async () => {
    const clock = new VirtualClock();
    const azure = newAzure(clock);
    const properties = { virtualNetwork: { id: scope.networkId } };
    azure.byHand({ method: 'PUT', path: scope.gatewayId, body: { location: scope.location, properties } });
    const repository = newRepository(clock, azure);
    azure.faults.next({ kind: 'updateServices' }, { kind: 'lose-response' });
    azure.faults.next({ kind: 'updateServices' }, { kind: 'fail-operation', code: 'InvalidThing' });
    const error = await failure(clock, repository.updateServices([registration], {}));
    expect(error).toMatchObject({ code: 'InvalidThing', verdict: 'terminal' });
    expect(repository.inventory.registration(inbound('web')).state).toBe('unknown');
  });
});
