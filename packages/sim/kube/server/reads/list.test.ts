import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listOf, textOf, valueAt } from '../../../json.ts';
import { type Reply, Simulated } from '../../testing/simulated.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';

function names({ body }: Reply): readonly string[] {
  return listOf(body.items).map((item) => textOf(valueAt(item, 'metadata', 'name')));
}

function tokenOf({ body }: Reply): string {
  return encodeURIComponent(textOf(valueAt(body, 'metadata', 'continue')));
}

async function filled(count: number): Promise<Simulated> {
  const world = new Simulated({ controllers: false });
  for (let index = 0; index < count; index += 1) {
    await world.call('POST', SECRETS, { metadata: { name: `s${String(index).padStart(2, '0')}` } });
  }
  return world;
}

describe('a list in pages', () => {
  it('shows every object once, as of the moment of the first page, whatever happens in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 12 }), async (limit, count) => {
        const world = await filled(count);
        const expected = names(await world.call('GET', SECRETS));
        let page = await world.call('GET', `${SECRETS}?limit=${limit}`);
        const seen = [...names(page)];
        for (let round = 0; tokenOf(page) !== ''; round += 1) {
          await world.call('DELETE', `${SECRETS}/s${String(count - 1 - round).padStart(2, '0')}`);
          await world.call('POST', SECRETS, { metadata: { name: `s05-new-${round}` } });
          page = await world.call('GET', `${SECRETS}?limit=${limit}&continue=${tokenOf(page)}`);
          seen.push(...names(page));
        }
        expect(seen).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('cannot go on when its moment is forgotten, unless two moments will do', async () => {
    const world = await filled(5);
    const first = await world.call('GET', `${SECRETS}?limit=2`);
    await world.call('DELETE', `${SECRETS}/s03`);
    world.kube.compact();
    const refused = await world.call('GET', `${SECRETS}?limit=2&continue=${tokenOf(first)}`);
    expect(refused.status).toBe(410);
    expect(refused.body.reason).toBe('Expired');
    const rest = await world.call('GET', `${SECRETS}?continue=${tokenOf(refused)}`);
    expect(names(rest)).toEqual(['s02', 's04']);
  });

  it('says how many are left, unless it would have to count', async () => {
    const world = await filled(5);
    const page = await world.call('GET', `${SECRETS}?limit=2`);
    expect(valueAt(page.body, 'metadata', 'remainingItemCount')).toBe(3);
    const selected = await world.call('GET', `${SECRETS}?limit=2&labelSelector=!none`);
    expect(valueAt(selected.body, 'metadata', 'remainingItemCount')).toBeUndefined();
  });
});

describe('a list of another moment', () => {
  it('is refused when the moment is forgotten', async () => {
    const world = await filled(2);
    const version = world.kube.resourceVersion;
    await world.call('DELETE', `${SECRETS}/s01`);
    const exact = `${SECRETS}?resourceVersion=${version}&resourceVersionMatch=Exact`;
    expect(names(await world.call('GET', exact))).toEqual(['s00', 's01']);
    world.kube.compact();
    const refused = await world.call('GET', exact);
    expect(refused.status).toBe(410);
    expect(refused.body.message).toBe('The resourceVersion for the provided list is too old.');
  });

  it('cannot be in the future', async () => {
    const world = await filled(0);
    const ahead = world.kube.resourceVersion + 10;
    const refused = await world.call('GET', `${SECRETS}?resourceVersion=${ahead}`);
    expect(refused.status).toBe(504);
    expect(refused.headers['retry-after']).toBe('1');
    expect(valueAt(refused.body, 'details', 'causes')).toEqual([
      { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
    ]);
  });
});
