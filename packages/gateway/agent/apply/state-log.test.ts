import { requireIpAddress } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { VirtualServer } from '../../protocol/configuration.ts';
import { SimulatedNode } from '../testing/simulated-node.ts';
import { StateLog } from './state-log.ts';

function virtualServer(port: number): VirtualServer {
  return {
    address: requireIpAddress('192.0.2.1'),
    protocol: 'TCP',
    port,
    service: 'default/web',
    backends: [],
    preservesClientAddress: false,
  };
}

const generation = (number: number, epoch = 1) => ({ epoch, number });
const changes = (port: number) => ({ put: [virtualServer(port)], remove: [] });
const ports = async (node: SimulatedNode) =>
  [...(await new StateLog(node.process().state).load()).virtualServers.values()].map(({ port }) => port);

describe('what an agent keeps on disk', () => {
  it('is what was done, and what was begun', async () => {
    const node = new SimulatedNode();
    const log = new StateLog(node.process().state);
    await log.begin({ generation: generation(1), changes: changes(80) });
    await log.done(generation(1));
    await log.begin({ generation: generation(2), changes: changes(81) });
    const state = await new StateLog(node.process().state).load();
    expect(state).toMatchObject({ generation: generation(1), begun: { generation: generation(2) } });
    expect(await ports(node)).toEqual([80]);
  });

  it('forgets what was undone after it was done', async () => {
    const node = new SimulatedNode();
    const log = new StateLog(node.process().state);
    await log.begin({ generation: generation(1), changes: changes(80) });
    await log.done(generation(1));
    await log.begin({ generation: generation(2), changes: changes(443) });
    await log.done(generation(2));
    await log.undone(generation(2));
    expect(await new StateLog(node.process().state).load()).toMatchObject({ generation: generation(1) });
    expect(await ports(node)).toEqual([80]);
    // What comes then goes on from there.
    await log.begin({ generation: generation(3), changes: changes(81) });
    await log.done(generation(3));
    expect(await ports(node)).toEqual([80, 81]);
  });

  it('survives a line that was cut short', async () => {
    const node = new SimulatedNode();
    const log = new StateLog(node.process().state);
    node.files.set('changes.log', '\n{"kind":"begun","gener');
    await log.begin({ generation: generation(1), changes: changes(80) });
    await log.done(generation(1));
    expect(await ports(node)).toEqual([80]);
  });

  it('is the same after it was made shorter, also when that was interrupted', async () => {
    const node = new SimulatedNode();
    const log = new StateLog(node.process().state);
    await log.begin({ generation: generation(1), changes: changes(80) });
    await log.done(generation(1));
    const before = node.files.get('changes.log') ?? '';
    const { begun: _, ...state } = await log.load();
    await log.fold(state);
    expect(await ports(node)).toEqual([80]);
    node.files.set('changes.log', before);
    expect(await ports(node)).toEqual([80]);
  });

  it('knows the highest epoch, also of what came to nothing', async () => {
    const node = new SimulatedNode();
    const log = new StateLog(node.process().state);
    await log.begin({ generation: generation(1, 7), changes: changes(80) });
    await log.undone(generation(1, 7));
    expect(await new StateLog(node.process().state).load()).toMatchObject({ highestEpoch: 7 });
    await log.leader(9);
    expect(await new StateLog(node.process().state).load()).toMatchObject({ highestEpoch: 9 });
  });

  it('tells what to do when it is damaged', async () => {
    const node = new SimulatedNode();
    node.files.set('configuration.json', '{}');
    await expect(new StateLog(node.process().state).load()).rejects.toThrow('remove the folder');
  });
});
