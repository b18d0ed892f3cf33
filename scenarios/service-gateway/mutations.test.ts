import type { HttpRequest, HttpTransport } from '@fairlead/control';
import { playSeed } from '@fairlead/sim';
import { describe, expect, it } from 'vitest';
import { crashHistory } from './crash.ts';
import { GATEWAY } from './site.ts';
import type { Wire, World } from './world.ts';

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
