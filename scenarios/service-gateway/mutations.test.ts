import type { HttpRequest, HttpTransport } from '@fairlead/control';
import { playSeed, type Scenario, type Timed } from '@fairlead/sim';
import { describe, expect, it } from 'vitest';
import { PLAIN } from '../azure-variant.ts';
import { crashHistory, create, slice } from './crash.ts';
import type { Edit } from './edits.ts';
import { GATEWAY } from './site.ts';
import { buildWorld, type Wire, type World } from './world.ts';

/** Answers some requests in Azure's name, without telling Azure. */
function deafTo(method: string, what: RegExp, status: number): Wire {
  return changing((request, transport) => {
    const isHeard = request.method !== method || !what.test(request.url);
    return isHeard ? transport.send(request) : Promise.resolve({ status, headers: {}, body: nothing() });
  });
}

/** Sends other bodies, or others first, than the part does. */
function changing(send: (request: HttpRequest, transport: HttpTransport) => ReturnType<HttpTransport['send']>): Wire {
  return (transport) => ({ send: (request) => send(request, transport) });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

const withoutMarks = changing((request, transport) => {
  const isMeant = request.method === 'PUT' && request.url.includes('/publicIPAddresses/green-pip');
  return transport.send(
    isMeant ? { ...request, body: (request.body ?? '').replace(/"tags":\{[^}]*\},?/, '') } : request,
  );
});

const emptiesAddressesFirst = changing(async (request, transport) => {
  if (request.url.includes('/updateAddressLocations')) {
    await transport.send({
      ...request,
      body: (request.body ?? '').replaceAll(/"services":\[[^\]]*\]/g, '"services":[]'),
    });
  }
  return transport.send(request);
});

const deletesTheNeighbours = changing((request, transport) =>
  transport.send({
    ...request,
    url: request.method === 'DELETE' ? request.url.replace('/green-pip', '/spare-pip') : request.url,
  }),
);

/** Puts each address under every Service that was ever registered. */
function letsAllTrafficIn(): Wire {
  const registered = new Set<string>();
  return changing((request, transport) => {
    const { url, body = '' } = request;
    if (url.includes('/updateServices'))
      for (const [, name = ''] of body.matchAll(/"isDelete":false,"service":\{"name":"([^"]*)"/g)) registered.add(name);
    if (!url.includes('/updateAddressLocations')) return transport.send(request);
    const services = `"services":${JSON.stringify([...registered])}`;
    return transport.send({ ...request, body: body.replaceAll(/"services":\[[^\]]*\]/g, services) });
  });
}

/** A Service that is refused while Azure takes its time to give it an address, and another that is served. */
const refusalOnTheWay: readonly Timed<Edit>[] = [
  { at: 1_000, event: create('web', [80]) },
  { at: 1_000, event: create('shut', [80]) },
  { at: 1_000, event: slice('web-1', 'web', ['10.1.0.1@node-1']) },
  { at: 1_000, event: slice('shut-1', 'shut', ['10.1.0.2@node-1']) },
  { at: 30_000, event: { kind: 'restrict', name: 'shut', ranges: ['192.0.2.0/24'] } },
];

function refusalHistory(wire: Wire): Scenario<World, Edit> {
  const behaviour = { actionStyle: 'synchronous', addressDelay: { minimum: 60_000, maximum: 60_000 } } as const;
  return {
    ...crashHistory(),
    build: (simulation) =>
      buildWorld(simulation, { variant: PLAIN, inheritance: 'nothing', behaviour, calmAt: 0, wire }),
    actions: () => refusalOnTheWay,
  };
}

describe('the history of the service gateway tells', () => {
  it.each([
    ['a public address that is not deleted', deafTo('DELETE', /publicIPAddresses/, 204), 'no Service is let go early'],
    ['addresses that do not leave', deafTo('POST', /updateAddressLocations/, 200), 'drained before it is unregistered'],
    ['a public address that was made without marks', withoutMarks, 'nothing leaks'],
    ['a gap while a pod moves', emptiesAddressesFirst, 'an address stays in service'],
    ["a neighbour's address that is deleted", deletesTheNeighbours, 'others are left alone'],
  ])('%s', async (_, wire, invariant) => {
    const { failure } = await playSeed(crashHistory(wire), 1);
    expect(failure?.invariant).toBe(invariant);
  });

  it('an address that enters a Service which is refused and was never reachable', async () => {
    const { failure } = await playSeed(refusalHistory(letsAllTrafficIn()), 1);
    expect(failure?.invariant).toBe('an address never enters a refused Service that showed no ingress');
    expect(failure?.sentence).toContain('10.1.0.1@10.0.0.1 came under it');
    expect(
      (
        await playSeed(
          refusalHistory((transport) => transport),
          1,
        )
      ).failure,
    ).toBeUndefined();
  });

  it('what is lost', async () => {
    const scenario = crashHistory();
    const lost = (world: World) => {
      world.azure.byHand({ method: 'POST', path: `${GATEWAY}/updateAddressLocations`, body: { action: 'FullUpdate' } });
      return scenario.lost?.(world) ?? [];
    };
    const outcome = await playSeed({ ...scenario, invariants: () => [], lost }, 1);
    expect(outcome.lost).toEqual([expect.stringContaining('10.1.0.4@10.0.0.1'), 'address 10.2.0.3@10.0.0.2=blue']);
  });

  it('nothing, when there is no defect', async () => {
    expect((await playSeed(crashHistory(), 1)).failure).toBeUndefined();
  });
});
