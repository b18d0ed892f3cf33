import { RecordedMetrics } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { blockedByLocations, oldestPendingSeconds, parkedServices, servicesByState, setGauges } from './metrics.ts';
import { EngineBench, terminal } from './testing/engine-bench.ts';
import { endpoints, inbound } from './testing/keys.ts';
import { inboundSpec } from './testing/specs.ts';

describe('the gauges', () => {
  it('count services by state, those parked, those blocked by addresses, and the longest wait', async () => {
    const bench = new EngineBench();
    for (const uid of ['web', 'bad', 'going']) bench.engine.addService(inboundSpec(uid));
    bench.run(inbound('bad'), terminal);
    bench.run(inbound('going'));
    bench.engine.updateEndpoints(inbound('going'), endpoints('10.1.0.1@10.0.0.1'));
    bench.sync();
    bench.engine.deleteService(inbound('going'));
    await bench.clock.advance(90_000);
    const metrics = new RecordedMetrics();
    setGauges(bench.engine, metrics, bench.clock);
    expect(metrics.lines(servicesByState)).toEqual(
      expect.arrayContaining(['NotStarted 1', 'Parked 1', 'DeletionPending 1', 'Created 0']),
    );
    expect(metrics.lines(parkedServices)).toEqual([' 1']);
    expect(metrics.lines(blockedByLocations)).toEqual([' 1']);
    expect(metrics.lines(oldestPendingSeconds)).toEqual([' 90']);
  });
});
