import { describe, expect, it } from 'vitest';
import { bodies, emulated, ids, inbound, withInbound } from './testing/samples.ts';
import { send } from './testing/send.ts';

describe('faults and the log', () => {
  it('meets scripted faults in order and tells them apart in the log', async () => {
    const { emulator } = emulated();
    const path = ids.publicIp('web');
    emulator.faults.next({ method: 'PUT', kind: 'publicIPAddresses' }, { kind: 'lose-request' });
    emulator.faults.next({ name: 'web-pip' }, { kind: 'lose-response' });
    emulator.faults.next({ method: 'PUT' }, { kind: 'refuse', status: 503 }, 2);
    emulator.faults.next({ method: 'PUT' }, { kind: 'misreport', status: 500 });
    const reset = expect.objectContaining({ verdict: 'retriable', code: 'connection-reset' });
    await expect(send(emulator, 'PUT', path, bodies.publicIp)).rejects.toThrowError(reset);
    expect(emulator.resource(path)).toBeUndefined();
    await expect(send(emulator, 'PUT', path, bodies.publicIp)).rejects.toThrowError(reset);
    expect(emulator.resource(path)).toBeDefined();
    expect((await send(emulator, 'PUT', ids.publicIp('x'), bodies.publicIp)).status).toBe(503);
    expect((await send(emulator, 'PUT', ids.publicIp('x'), bodies.publicIp)).status).toBe(503);
    expect((await send(emulator, 'PUT', ids.publicIp('x'), bodies.publicIp)).status).toBe(500);
    expect(emulator.resource(ids.publicIp('x'))).toBeDefined();
    expect(emulator.faults.left).toBe(0);
    expect(emulator.log.lines()).toEqual([
      'PUT publicIPAddresses/web-pip lost',
      'PUT publicIPAddresses/x-pip 503 Scripted503',
      'PUT publicIPAddresses/x-pip 503 Scripted503',
      'PUT publicIPAddresses/x-pip 500 InternalServerError',
    ]);
  });

  it('writes the actions of a gateway down so that a diagram can be read from them', async () => {
    const { emulator } = emulated();
    withInbound(emulator, 'a');
    withInbound(emulator, 'b');
    await send(emulator, 'POST', `${ids.gateway}/updateServices`, {
      action: 'PartialUpdate',
      serviceRequests: [inbound('a'), { isDelete: true, service: { name: 'b' } }],
    });
    await send(emulator, 'POST', `${ids.gateway}/updateAddressLocations`, {
      action: 'PartialUpdate',
      addressLocations: [
        { addressLocation: '10.0.0.1', addresses: [{ address: '10.1.0.1', services: ['a'] }, { address: '10.1.0.2' }] },
        { addressLocation: '10.0.0.2', addresses: [] },
      ],
    });
    await send(emulator, 'GET', ids.gateway);
    expect(emulator.log.lines()).toEqual([
      'POST updateServices/sgw 200: +a -b',
      'POST updateAddressLocations/sgw 200: 10.0.0.1[10.1.0.1=a -10.1.0.2]; -10.0.0.2',
    ]);
    expect([emulator.log.count(), emulator.log.count('POST'), emulator.log.count('GET', 'serviceGateways')]).toEqual([
      3, 2, 1,
    ]);
  });

  it('throttles for a time, with Retry-After in each of its forms', async () => {
    const { emulator, clock } = emulated();
    const forms = {
      seconds: '30',
      date: new Date(clock.now() + 30_000).toUTCString(),
      garbage: 'in a while',
      absent: undefined,
    } as const;
    for (const form of ['seconds', 'date', 'garbage', 'absent'] as const) {
      emulator.faults.throttle({ method: 'GET' }, 30_000, form);
      const answered = await send(emulator, 'GET', ids.gateway);
      expect([answered.status, answered.headers['retry-after']]).toEqual([429, forms[form]]);
      emulator.faults.clear();
    }
    emulator.faults.throttle({}, 30_000);
    await clock.advance(29_999);
    expect((await send(emulator, 'GET', ids.gateway)).headers['retry-after']).toBe('1');
    await clock.advance(1);
    expect((await send(emulator, 'GET', ids.gateway)).status).toBe(200);
  });

  it('takes time on the way, and does nothing for who gave up before it arrived', async () => {
    const { emulator, clock } = emulated({ latency: { minimum: 100, maximum: 100 } });
    const late = send(emulator, 'PUT', ids.publicIp('web'), bodies.publicIp);
    await clock.advance(50);
    expect(emulator.resource(ids.publicIp('web'))).toBeDefined();
    await clock.advance(50);
    expect((await late).status).toBe(201);
    const controller = new AbortController();
    const url = `https://arm.test${ids.publicIp('web')}?api-version=2026-01-01`;
    const aborted = emulator
      .send({ method: 'DELETE', url, headers: {}, signal: controller.signal })
      .catch(() => 'aborted');
    controller.abort();
    await clock.advance(1_000);
    expect(await aborted).toBe('aborted');
    expect(emulator.resource(ids.publicIp('web'))).toBeDefined();
  });

  it('gives the same answers to the same calls', async () => {
    const run = async () => {
      const { emulator, clock } = emulated({
        latency: { minimum: 1, maximum: 90 },
        operationTime: { minimum: 0, maximum: 900 },
      });
      const texts: string[] = [];
      for (const name of ['a', 'b', 'c']) {
        const answered = send(emulator, 'PUT', ids.publicIp(name), bodies.publicIp);
        await clock.advance(1_000);
        texts.push(JSON.stringify(await answered));
      }
      return texts;
    };
    expect(await run()).toEqual(await run());
  });
});
