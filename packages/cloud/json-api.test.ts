import { noMetrics, seededRandom, VirtualClock } from '@fairlead/control';
import { failure, result } from '@fairlead/control/testing';
import { expect, it } from 'vitest';
import { JsonApi } from './json-api.ts';
import { FakeCloud } from './testing/fake-cloud.ts';

function desk() {
  const clock = new VirtualClock();
  const cloud = new FakeCloud(clock);
  const options = { clock, random: seededRandom(1), metrics: noMetrics, transport: cloud };
  return { clock, cloud, api: new JsonApi({ ...options, name: 'the desk', endpoint: 'https://desk/' }) };
}

it('tells what a server said when it refused, or that it said nothing', async () => {
  const { clock, cloud, api } = desk();
  cloud.next({ status: 422, text: '<p>no such\nstreet</p>' });
  expect(await failure(clock, api.put('addresses', 'web', {}))).toMatchObject({
    message: 'PUT addresses/web: no such street (422)',
    verdict: 'terminal',
  });
  cloud.next({ status: 409, text: '' });
  expect(await failure(clock, api.put('addresses', 'web', {}))).toMatchObject({
    message: 'PUT addresses/web: refused (409)',
    verdict: 'retriable',
  });
});

it('takes for gone what is not there', async () => {
  const { clock, cloud, api } = desk();
  cloud.next({ status: 404 }, 2);
  expect(await result(clock, api.get('addresses', 'web'))).toBeUndefined();
  await result(clock, api.delete('addresses', 'web'));
  expect(cloud.requests.map(({ url }) => url)).toEqual(['https://desk/addresses/web', 'https://desk/addresses/web']);
});
