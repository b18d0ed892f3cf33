import { RecordedMetrics } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { AzureBench, type AzureBenchOptions } from '../testing/azure-bench.ts';
import { addressKey, endpoints, inbound, ip, outbound, pod } from '../testing/keys.ts';
import { inboundSpec, outboundSpec } from '../testing/specs.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

const web = inbound('web');

async function benchWithService(options: AzureBenchOptions = {}): Promise<AzureBench> {
  const bench = new AzureBench(options);
  bench.engine.addService(inboundSpec('web'));
  await bench.settle();
  bench.azure.log.clear();
  return bench;
}

/** So many endpoints, spread over so many nodes. */
function manyEndpoints(count: number, nodes: number) {
  return endpoints(
    ...Array.from({ length: count }, (_, index) => `10.1.${index >> 8}.${index & 255}@10.0.0.${1 + (index % nodes)}`),
  );
}

describe('LocationsUpdater', () => {
  it('sends what changes in one go as one request, each location once', async () => {
    const bench = await benchWithService();
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1', '10.1.0.2@10.0.0.2', '10.1.0.3@10.0.0.1'));
    await bench.settle();
    expect(bench.writes).toEqual([
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.1=web 10.1.0.3=web]; 10.0.0.2[10.1.0.2=web]',
    ]);
  });

  it('puts what changes during a request into the next one', async () => {
    const bench = await benchWithService();
    bench.azure.behave({ latency: { minimum: 100, maximum: 100 } });
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    for (let index = 2; index < 6; index += 1) {
      await bench.clock.advance(10);
      bench.engine.updateEndpoints(web, endpoints(`10.1.0.${index}@10.0.0.1`));
    }
    await bench.settle();
    expect(bench.writes).toEqual([
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.1=web]',
      'POST updateAddressLocations/sgw 200: 10.0.0.1[-10.1.0.1 10.1.0.5=web]',
    ]);
  });

  it('cuts what is too much for one request, by addresses and by bytes', async () => {
    const byCount = await benchWithService({ limits: { addresses: 100, bytes: 1_000_000 } });
    byCount.engine.updateEndpoints(web, manyEndpoints(250, 7));
    await byCount.settle();
    expect(byCount.writes).toHaveLength(3);
    expect(byCount.located).toHaveLength(250);
    const byBytes = await benchWithService({ limits: { addresses: 1_000, bytes: 10_000 } });
    byBytes.engine.updateEndpoints(web, manyEndpoints(250, 7));
    await byBytes.settle();
    expect(byBytes.writes.length).toBeGreaterThan(3);
    for (const { body } of byBytes.azure.log.writes) expect(JSON.stringify(body).length).toBeLessThan(10_000);
    expect(byBytes.located).toHaveLength(250);
  });

  it('quarantines the one address that the gateway refuses, and programs all others', async () => {
    const bench = await benchWithService();
    const wanted = new Map([...manyEndpoints(40, 3), [ip('2001:db8::5'), ip('10.0.0.1')]]);
    bench.engine.updateEndpoints(web, wanted);
    await bench.settle();
    expect(bench.located).toHaveLength(40);
    expect(bench.refused.map(({ entry, services }) => [entry.address, services])).toEqual([['2001:db8::5', [web]]]);
    const calls = bench.writes.length;
    bench.engine.updateEndpoints(web, wanted);
    await bench.clock.advance(600_000);
    expect(bench.writes).toHaveLength(calls);
  });

  it('takes 202 and a location to poll as an answer as well', async () => {
    const bench = await benchWithService();
    bench.azure.behave({ actionStyle: 'long-running', operationTime: { minimum: 700, maximum: 700 } });
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    await bench.settle();
    expect(bench.located).toEqual(['10.1.0.1@10.0.0.1=web']);
    expect(bench.writes).toHaveLength(1);
  });

  it('bisects also what is refused only after it was accepted', async () => {
    const bench = await benchWithService();
    bench.azure.behave({ actionStyle: 'long-running', operationTime: { minimum: 100, maximum: 100 } });
    bench.engine.updateEndpoints(web, new Map([...manyEndpoints(7, 2), [ip('2001:db8::5'), ip('10.0.0.1')]]));
    await bench.settle();
    expect(bench.located).toHaveLength(7);
    expect(bench.refused).toHaveLength(1);
  });

  it('tells that a round went well only when nothing was left out of it', async () => {
    const bench = await benchWithService();
    bench.rounds.length = 0;
    bench.azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'delay', milliseconds: 12_000 }, 4);
    bench.engine.updateEndpoints(web, manyEndpoints(40, 3));
    await bench.settle(120_000);
    expect(bench.writes).toHaveLength(2);
    expect(bench.rounds).toEqual([expect.objectContaining({ code: 'deadline-exceeded' }), undefined]);
  });

  it('sends again what got lost, whether or not it had arrived', async () => {
    for (const kind of ['lose-request', 'lose-response'] as const) {
      const bench = await benchWithService();
      bench.azure.faults.next({ kind: 'updateAddressLocations' }, { kind }, 6);
      bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
      await bench.clock.advance(1_000);
      bench.engine.updateEndpoints(web, endpoints());
      await bench.settle();
      expect(bench.located).toEqual([]);
      expect(bench.azure.faults.left).toBe(0);
    }
  });

  it('edge case 3: an update of unknown outcome is cleared up before the service is deleted', async () => {
    const bench = await benchWithService();
    bench.azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'lose-response' }, 4);
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    await bench.clock.advance(100);
    bench.engine.deleteService(web);
    await bench.settle();
    expect(bench.kinds).toEqual({});
    const codes = bench.azure.log.calls.flatMap(({ code }) => code ?? []);
    expect(codes).not.toContain('ServiceWithOverlayMappingsCannotBeDeleted');
    expect(bench.suspicions).toEqual([]);
  });

  it('waits out a storm of 429 without a call before its time, and loses nothing', async () => {
    const bench = await benchWithService();
    const begin = bench.clock.monotonic();
    bench.azure.faults.throttle({}, 300_000);
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    bench.engine.addService(inboundSpec('shop'));
    await bench.clock.advance(200_000);
    bench.engine.updateEndpoints(web, endpoints('10.1.0.2@10.0.0.1'));
    await bench.settle(400_000);
    expect(bench.located).toEqual(['10.1.0.2@10.0.0.1=web']);
    const early = bench.azure.log.calls.filter(({ at }) => at > begin + 1_000 && at < begin + 300_000);
    expect(early).toEqual([]);
    expect(bench.clock.monotonic() - begin).toBeLessThan(360_000);
  });

  it('sends all others when Azure refuses no longer but the one address that asked', async () => {
    const bench = await benchWithService();
    const forbidden = { kind: 'refuse', status: 403, code: 'AuthorizationFailed' } as const;
    bench.azure.faults.next({ kind: 'updateAddressLocations' }, forbidden, 4);
    bench.engine.updateEndpoints(web, manyEndpoints(20, 4));
    await bench.clock.advance(5_000);
    expect(bench.located).toEqual([]);
    bench.azure.faults.clear();
    bench.azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'refuse', status: 400, code: 'Odd' });
    await bench.settle(200_000);
    expect(bench.refused).toHaveLength(1);
    expect(bench.located).toHaveLength(19);
  });

  it('sends a single address again that ran out of time, and then more at a time than one again', async () => {
    const bench = await benchWithService();
    bench.azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'hang' }, 40);
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    await bench.settle(3_600_000);
    expect(bench.located).toEqual(['10.1.0.1@10.0.0.1=web']);
    expect(bench.azure.faults.left).toBe(0);
    bench.azure.log.clear();
    bench.engine.updateEndpoints(web, manyEndpoints(40, 3));
    await bench.settle();
    // Twice as many each time.
    expect(bench.writes.length).toBeLessThanOrEqual(6);
  });

  it('sends half of what ran out of time, however much would have been allowed', async () => {
    const bench = await benchWithService();
    bench.azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'hang' }, 4);
    bench.engine.updateEndpoints(web, manyEndpoints(16, 1));
    await bench.settle(600_000);
    const sizes = bench.writes.flatMap((line) => (line.includes(' 200: ') ? [line.split('=web').length - 1] : []));
    expect([sizes[0], bench.located.length]).toEqual([8, 16]);
  });

  it('backs off while the gateway does not answer, however often it is triggered', async () => {
    const bench = await benchWithService();
    bench.azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'refuse', status: 409 }, 100);
    for (let index = 0; index < 600; index += 1) {
      bench.engine.updateEndpoints(web, endpoints(`10.1.${index >> 8}.${index & 255}@10.0.0.1`));
      await bench.clock.advance(100);
    }
    expect(bench.writes.length).toBeLessThan(10);
  });

  it('edge case 8: moves an address whose node has another IP in one request', async () => {
    const bench = await benchWithService();
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    await bench.settle();
    bench.azure.log.clear();
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.9'));
    await bench.settle();
    expect(bench.writes).toEqual(['POST updateAddressLocations/sgw 200: 10.0.0.1[-10.1.0.1]; 10.0.0.9[10.1.0.1=web]']);
  });

  it('edge case 7: lets a dual-stack pod go only when both of its addresses have left', async () => {
    const bench = new AzureBench({ limits: { addresses: 1, bytes: 100_000 } });
    const addressKeys = [addressKey('10.1.0.1@10.0.0.1'), addressKey('2001:db8::5@2001:db8:ffff::1')];
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys });
    await bench.settle();
    bench.azure.behave({ latency: { minimum: 100, maximum: 100 } });
    bench.engine.deletePod(pod('a'));
    await bench.clock.advance(120);
    expect(bench.located).toHaveLength(1);
    expect(bench.drained).toEqual([]);
    await bench.settle();
    expect(bench.drained).toEqual([pod('a')]);
    expect(bench.kinds).toEqual({});
  });

  it('asks for a look at Azure when an address is put under a service that Azure does not know', async () => {
    const bench = await benchWithService();
    const path = `/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/serviceGateways/sgw`;
    const unregister = { isDelete: true, service: { name: 'web', properties: { serviceType: 'Inbound' } } };
    const body = { action: 'PartialUpdate', serviceRequests: [unregister] };
    bench.azure.byHand({ method: 'POST', path: `${path}/updateServices`, body });
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    await bench.clock.advance(100);
    expect(bench.suspicions).toHaveLength(1);
    bench.repository.inventory.replaceWith(await bench.repository.list({}));
    bench.engine.onDrift(web, false);
    await bench.settle();
    expect(bench.located).toEqual(['10.1.0.1@10.0.0.1=web']);
  });

  it('measures the time from a change of an endpoint until it is programmed', async () => {
    const metrics = new RecordedMetrics();
    const bench = await benchWithService({ metrics });
    bench.azure.behave({ latency: { minimum: 80, maximum: 80 } });
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    await bench.settle();
    const name = 'fairlead_azure_service_gateway_endpoint_programming_seconds';
    expect(metrics.lines({ name, kind: 'histogram', help: '' })).toEqual([' 0.08']);
  });

  it('programs pods of an egress gateway beside the endpoints of Services', async () => {
    const bench = await benchWithService();
    bench.engine.addPod(outboundSpec('blue'), {
      uid: pod('a'),
      createdAt: 'a',
      addressKeys: [addressKey('10.1.0.1@10.0.0.1')],
    });
    await bench.settle();
    bench.engine.updateEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    await bench.settle();
    expect(bench.located).toEqual(['10.1.0.1@10.0.0.1=blue,web']);
    bench.engine.deletePod(pod('a'));
    await bench.settle();
    expect(bench.located).toEqual(['10.1.0.1@10.0.0.1=web']);
    expect(bench.kinds).toEqual({ [web]: 'Created' });
    expect(bench.engine.state(outbound('blue'))).toBeUndefined();
  });
});
