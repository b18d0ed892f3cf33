import { expect, it } from 'vitest';
import { gatewayPart } from '../part.ts';
import { gatewayWorld } from '../testing/gateway-world.ts';

it('fairlead gateway addresses lists addresses, and who has which ports there', async () => {
  const { cluster, lead, look, pass } = await gatewayWorld();
  await cluster.createService('web', {
    ports: [
      { name: 'a', port: 80 },
      { name: 'b', port: 53, protocol: 'UDP' },
    ],
  });
  const leader = lead();
  await pass(10);
  const [command] = gatewayPart().commands;
  if (command?.needs !== 'configuration') throw new Error('there is no such command');
  const printed: string[] = [];
  await command.run({
    configuration: { addresses: ['192.0.2.1', '192.0.2.2'] },
    environment: look,
    words: [],
    options: {},
    clock: cluster.clock,
    signal: look.signal,
    print: (line) => void printed.push(line),
  });
  expect(printed).toEqual([
    'POOL     ADDRESS    PORTS          SERVICE',
    'default  192.0.2.1  TCP/80,UDP/53  shop/web',
    'default  192.0.2.2                 free',
  ]);
  await leader.stop();
});
