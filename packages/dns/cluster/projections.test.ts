import { SERVICE_NAME, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { expect, it } from 'vitest';
import { keptSlice } from './projections.ts';

it('keeps nothing of a slice of which no name is made', () => {
  const labels = { [SERVICE_NAME]: 'web', [SOURCE_CLUSTER]: 'a' };
  const kept = keptSlice({
    metadata: { namespace: 'shop', name: 'web.a', labels: { ...labels, team: 'x' }, annotations: { note: 'y' } },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['10.1.0.1'], hostname: 'web-0', nodeName: 'n', conditions: { ready: true, serving: true } },
      { addresses: ['10.1.0.2'], conditions: { ready: false } },
      { addresses: ['10.1.0.3'] },
    ],
  });
  expect(kept).toEqual({
    metadata: { namespace: 'shop', name: 'web.a', labels },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.0.1'], hostname: 'web-0' }, { addresses: ['10.1.0.3'] }],
    ports: [],
  });
});
