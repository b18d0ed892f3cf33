import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, listOf, valueAt } from '../../json.ts';
import { emulated, ids } from '../testing/samples.ts';
import { code, send } from '../testing/send.ts';

const frontend = (name: string, properties: JsonObject = {}): JsonObject => ({
  name,
  properties: { subnet: { id: ids.subnet }, privateIPAllocationMethod: 'Dynamic', ...properties },
});
const chosen = (privateIPAddress: string): JsonObject => ({ privateIPAllocationMethod: 'Static', privateIPAddress });
const loadBalancer = (...frontendIPConfigurations: readonly JsonObject[]): JsonObject => ({
  location: 'westeurope',
  sku: { name: 'Standard' },
  properties: { frontendIPConfigurations },
});
const addressesIn = (body: JsonObject | undefined) =>
  listOf(valueAt(body, 'properties', 'frontendIPConfigurations'))
    .filter(isJsonObject)
    .map((entry) => valueAt(entry, 'properties', 'privateIPAddress'));

describe('private addresses of frontends', () => {
  it('are given in order, kept while the frontend stays, and given again afterwards', async () => {
    const { emulator } = emulated();
    const put = (name: string, ...frontends: readonly JsonObject[]) =>
      send(emulator, 'PUT', ids.loadBalancer(name), loadBalancer(...frontends));
    expect(addressesIn((await put('one', frontend('a'), frontend('b'))).body)).toEqual(['10.0.0.4', '10.0.0.5']);
    expect(addressesIn((await put('two', frontend('a'))).body)).toEqual(['10.0.0.6']);
    expect(addressesIn((await put('one', frontend('b'), frontend('c'))).body)).toEqual(['10.0.0.5', '10.0.0.4']);
    expect(addressesIn(emulator.resource(ids.loadBalancer('one')))).toEqual(['10.0.0.5', '10.0.0.4']);
  });

  it('may be chosen from the subnet, unless they are taken', async () => {
    const { emulator } = emulated();
    const put = (name: string, properties: JsonObject) =>
      send(emulator, 'PUT', ids.loadBalancer(name), loadBalancer(frontend('a', properties), frontend('b')));
    expect(addressesIn((await put('one', chosen('10.0.0.4'))).body)).toEqual(['10.0.0.4', '10.0.0.5']);
    expect(code(await put('two', chosen('10.0.0.5')))).toBe('PrivateIPAddressIsAllocated');
    expect(code(await put('two', chosen('10.9.0.5')))).toBe('PrivateIPAddressNotInSubnet');
  });

  it('are of the family asked for', async () => {
    const { emulator } = emulated();
    const subnet = { properties: { addressPrefixes: ['10.0.0.0/16', 'fd00::/64'] } };
    emulator.byHand({ method: 'PUT', path: ids.subnet, body: subnet });
    const six = frontend('six', { privateIPAddressVersion: 'IPv6' });
    const answered = await send(emulator, 'PUT', ids.loadBalancer('one'), loadBalancer(frontend('four'), six));
    expect(addressesIn(answered.body)).toEqual(['10.0.0.4', 'fd00::4']);
  });
});
