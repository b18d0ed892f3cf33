import { requireIpAddress } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frontendKey } from '../../protocol/configuration.ts';
import type { PoolServer } from '../backends/virtual-servers.ts';
import { VirtualServerTable } from './virtual-server-table.ts';

function server(port: number, backends: readonly number[] = [], pool = 'public'): PoolServer {
  const address = requireIpAddress('192.0.2.1');
  const to = backends.map((last) => ({ address: requireIpAddress(`10.0.0.${last}`), port: 80 }));
  return {
    pool,
    server: { address, protocol: 'TCP', port, service: 'shop/web', backends: to, preservesClientAddress: false },
  };
}

const WEB: ServiceKey = 'shop/web';
const MAIL: ServiceKey = 'shop/mail';
const at = (port: number) => `192.0.2.1 TCP/${port}`;

describe('the table of virtual servers', () => {
  it('tells which frontends changed, and whether more than backends did', () => {
    const table = new VirtualServerTable();
    expect(table.set(WEB, [server(80), server(443)])).toEqual({ frontends: [at(80), at(443)], isServedAnew: true });
    expect(table.set(WEB, [server(80, [2, 1]), server(443)])).toEqual({ frontends: [at(80)], isServedAnew: false });
    expect(table.set(WEB, [server(80, [1, 2]), server(443)])).toEqual({ frontends: [], isServedAnew: false });
    expect(table.set(WEB, [server(443, [], 'partners')])).toEqual({ frontends: [at(80), at(443)], isServedAnew: true });
    expect(table.revision).toBe(3);
  });

  it('leaves a frontend with its owner until that gives it up', () => {
    const table = new VirtualServerTable();
    table.set(WEB, [server(80)]);
    expect(table.set(MAIL, [server(80, [7]), server(25)]).frontends).toEqual([at(25)]);
    expect(table.ownerOf(at(80))).toBe(WEB);
    expect(table.isServed(MAIL, [server(80)])).toBe(false);
    table.set(WEB, []);
    expect(table.set(MAIL, [server(80), server(25)]).frontends).toEqual([at(80)]);
    expect(table.ownerOf(at(80))).toBe(MAIL);
  });

  it('refreshes what is served and adds nothing', () => {
    const table = new VirtualServerTable();
    table.set(WEB, [server(80), server(443)]);
    expect(table.refresh(WEB, [server(80, [1]), server(8080)]).frontends).toEqual([at(80)]);
    expect(table.serversOf(WEB).map((one) => frontendKey(one.server))).toEqual([at(80), at(443)]);
  });

  it('has for every Service what it was set to, as far as no other has it', () => {
    const step = fc.record({
      owner: fc.constantFrom<ServiceKey>('a/a', 'b/b', 'c/c'),
      ports: fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const table = new VirtualServerTable();
        const owners = new Map<number, ServiceKey>();
        for (const { owner, ports } of steps) {
          table.set(
            owner,
            ports.map((port) => server(port)),
          );
          for (const [port, its] of owners) if (its === owner && !ports.includes(port)) owners.delete(port);
          for (const port of ports) if (!owners.has(port)) owners.set(port, owner);
          for (const port of [1, 2, 3, 4]) expect(table.ownerOf(at(port))).toBe(owners.get(port));
          const count = [...owners.values()].filter((one) => one === owner).length;
          expect(table.serversOf(owner)).toHaveLength(count);
        }
      }),
    );
  });
});
