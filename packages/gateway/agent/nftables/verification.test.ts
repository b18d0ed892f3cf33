import { requireIpAddress } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedNode } from '../testing/simulated-node.ts';
import { someVirtualServers } from '../testing/virtual-servers.ts';
import { Served } from './served.ts';
import { Table } from './table.ts';
import { Verification } from './verification.ts';

async function loaded(served: Served): Promise<SimulatedNode> {
  const node = new SimulatedNode();
  const to = { generation: { epoch: 1, number: 1 }, digest: served.digest };
  await new Table(node.process().nft).load(served, to);
  return node;
}

/** Walks over all of it, until something is found wrong. */
async function walk(node: SimulatedNode, served: Served): Promise<boolean> {
  const verification = new Verification(node.process().nft);
  while (!verification.isDone) if (!(await verification.next(served, 'a'))) return false;
  return true;
}

const many = new Served(
  Array.from({ length: 40 }, (_, index) => ({
    address: requireIpAddress('2001:db8::1'),
    protocol: 'TCP' as const,
    port: index + 1,
    service: 'default/web',
    backends: [1, 2].map((last) => ({ address: requireIpAddress(`fd00::${last}`), port: 80 })),
    preservesClientAddress: true,
  })),
);

describe('a walk over the table', () => {
  it('finds nothing where nothing was changed', async () => {
    await fc.assert(
      fc.asyncProperty(someVirtualServers, async (all) => {
        const served = new Served(all);
        expect(await walk(await loaded(served), served)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('finds any element that another program took away', async () => {
    const elements = [...many.elements()];
    for (const index of [0, 1, 777, elements.length - 1]) {
      const node = await loaded(many);
      const { map, key } = elements[index] ?? { map: '', key: '' };
      node.nft.run(`delete element inet fairlead ${map}a { ${key} }`);
      expect(await walk(node, many)).toBe(false);
    }
  });

  it('finds an element that leads elsewhere', async () => {
    const node = await loaded(many);
    const key = '2001:db8::1 . tcp . 7 . 3';
    node.nft.run(
      `delete element inet fairlead slots6a { ${key} }\nadd element inet fairlead slots6a { ${key} : fd00::bad . 80 }`,
    );
    expect(await walk(node, many)).toBe(false);
  });

  it('looks at a bounded portion at a time', async () => {
    const node = await loaded(many);
    const { nft } = node.process();
    const asked: number[] = [];
    const watched = {
      ...nft,
      accepts: (script: string) => {
        asked.push(script.split(', ').length);
        return nft.accepts(script);
      },
    };
    const verification = new Verification(watched);
    while (!verification.isDone) await verification.next(many, 'a');
    expect(asked.length).toBeGreaterThan(4);
    expect(Math.max(...asked)).toBeLessThanOrEqual(1_100);
  });
});
