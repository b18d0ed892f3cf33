import type { IpFamily } from '@fairlead/control';
import type { Engine } from './engine.ts';
import type { RegisteredServices } from './nrp-state.ts';
import { DEFAULT_OUTBOUND_KEY } from './service-key.ts';

/** Makes the default outbound service if the gateway reports none; one that Azure or somebody else made is adopted. */
export function ensureDefaultOutboundServiceExists(
  engine: Engine,
  { defaultOutbound, ours }: RegisteredServices,
  families: readonly IpFamily[],
): 'adopted' | 'ensured' {
  if (defaultOutbound !== undefined && !ours.has(defaultOutbound)) return 'adopted';
  engine.addService({ key: DEFAULT_OUTBOUND_KEY, families, isDefault: true });
  return 'ensured';
}
