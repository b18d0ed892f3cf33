import { expect, it } from 'vitest';
import type { SecurityGroupDriver } from '../drivers/security-groups.ts';
import { testSite } from '../testing/test-site.ts';
import { MemberReach } from './member-reach.ts';

it.each([
  ['more is left', 0, { afterMilliseconds: 100 }],
  ['a Service is waited for', 300_000, { afterMilliseconds: 300_000 }],
  ['nothing is left', undefined, undefined],
])('sweeps again when others have had their turn, if %s', async (_, wait, again) => {
  const securityGroups: SecurityGroupDriver = {
    want() {},
    wantAtLeast() {},
    suspect() {},
    ensure: async () => true,
    sweep: async () => wait,
  };
  const reach = new MemberReach(testSite, { rangesOf: async () => [] }, securityGroups, { standing: async () => [] });
  expect(await reach.sweep(new AbortController().signal)).toEqual(again);
});
