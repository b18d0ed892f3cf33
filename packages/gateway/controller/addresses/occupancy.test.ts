import { familyOf, requireIpAddress } from '@fairlead/control';
import { toServiceKey } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import { isL2PortId, type L2Port, type L4Port } from './l2-port.ts';
import { Occupancy } from './occupancy.ts';
import { L2Ports } from './l2-ports.ts';

function l2PortAt(text: string): L2Port {
  const address = requireIpAddress(text);
  const id: string = address;
  if (!isL2PortId(id)) throw new Error('it has a comma');
  return { id, pool: 'public', address, ingress: address, family: familyOf(address) };
}

const four = l2PortAt('192.0.2.1');
const six = l2PortAt('2001:db8::1');
const http: L4Port = { protocol: 'TCP', port: 80 };
const newOccupancy = () => new Occupancy(new L2Ports([four, six]), {});
const web = toServiceKey('shop/web');
const shop = toServiceKey('shop/shop');
const other = toServiceKey('shop/other');

describe('Occupancy', () => {
  it('frees nothing that another Service has, although both were seen with it', () => {
    const occupancy = newOccupancy();
    const holding = { l2Ports: [four], l4Ports: [http], exclusive: false };
    occupancy.reserve(web, holding);
    occupancy.reserve(shop, holding);
    occupancy.settle(shop);
    expect(occupancy.holderOf(four, http, other)).toBe(web);
  });

  it('counts a Service as gone from every address that it leaves', () => {
    const occupancy = newOccupancy();
    occupancy.assign(web, { l2Ports: [four, six], l4Ports: [http], exclusive: false });
    occupancy.assign(web, undefined);
    expect(occupancy.settle(web)).toMatchObject({ room: true });
    expect([occupancy.tenants(four).size, occupancy.tenants(six).size]).toEqual([0, 0]);
    expect(occupancy.mayShare(six, other, true)).toBe(true);
  });
});
