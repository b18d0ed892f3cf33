import { expect, it } from 'vitest';
import { capabilitiesOf } from '../drivers/capabilities.ts';
import { testSite } from '../testing/test-site.ts';
import { beyondProvider } from './provider-limits.ts';

it.each([
  ['ovn', ['a health monitor by HTTP']],
  ['amphora', []],
])('knows that load balancers of %s lack %j for nodes that tell of their health', (provider, lacking) => {
  const health_monitor = { delay: 5, timeout: 3, max_retries: 1, max_retries_down: 3, node_port: 32_000 };
  const found = beyondProvider({ health_monitor }, capabilitiesOf(provider, testSite.features));
  expect([...found]).toEqual(lacking);
});
