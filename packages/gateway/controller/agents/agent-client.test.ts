import { VirtualClock } from '@fairlead/control';
import { SimulatedAgent } from '@fairlead/sim/gateway';
import { expect, it, vi } from 'vitest';
import { AgentClient } from './agent-client.ts';

it('announces and sends nothing when the Lease may end before the answer, and only asks', async () => {
  const clock = new VirtualClock();
  const transport = new SimulatedAgent(clock);
  const sent = vi.spyOn(transport, 'send');
  const gateway = { name: 'one', url: 'https://one' };
  const client = new AgentClient({ gateway, transport, clock, leadership: { covers: () => false } });
  const { signal } = new AbortController();
  await expect(client.announce({ epoch: 1 }, signal)).rejects.toMatchObject({ code: 'lease-too-short' });
  await expect(client.put('{}', 'whole', signal)).rejects.toMatchObject({ code: 'lease-too-short' });
  expect(sent).not.toHaveBeenCalled();
  const asked = client.status(signal);
  await clock.advance(1_000);
  expect(await asked).toMatchObject({ heldAddresses: [] });
});
