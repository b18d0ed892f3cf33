import { expect, it } from 'vitest';
import { gatewayWorld } from '../testing/gateway-world.ts';

it('status names a gateway whose agent is dead as a problem', async () => {
  const { agents, configured, lead, look, pass } = await gatewayWorld();
  const leader = lead();
  await pass(10);
  expect((await configured.status(look)).problems).toBeUndefined();
  agents.two.isDead = true;
  const { problems, summary } = await configured.status(look);
  expect(problems).toEqual([expect.stringMatching(/^the gateway two cannot be asked: .*nothing listens there/)]);
  expect(summary).toContain('not in step: two');
  await leader.stop();
});
