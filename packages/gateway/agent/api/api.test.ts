import { silentLogger } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { ConfigurationAnswer } from '../../protocol/answer.ts';
import { answer } from './api.ts';

const never = {
  take: async (): Promise<ConfigurationAnswer> => {
    throw new Error('it was taken');
  },
  announce: async (epoch: number) => Math.max(epoch, 5),
  status: () => ({ programmed: true, heldAddresses: [] }),
};

const web = {
  address: '192.0.2.10',
  protocol: 'TCP',
  port: 80,
  service: 'shop/web',
  backends: [],
  preservesClientAddress: false,
};

function put(...virtualServers: readonly object[]) {
  const body = JSON.stringify({ kind: 'whole', generation: { epoch: 1, number: 1 }, virtualServers });
  return answer({ method: 'PUT', path: '/v1/config', body, from: 'here' }, never, silentLogger);
}

describe('a leader that announces itself', () => {
  const announce = (body: string) =>
    answer({ method: 'PUT', path: '/v1/leader', body, from: 'here' }, never, silentLogger);

  it('is told the highest epoch there was', async () => {
    expect(await announce('{"epoch":7}')).toEqual({ status: 200, body: { epoch: 7 } });
    expect(await announce('{"epoch":4}')).toEqual({ status: 409, body: { epoch: 5 } });
  });

  it.each(['', '{}', '{"epoch":-1}', '{"epoch":7,"more":1}'])('is refused with %j', async (body) => {
    expect(await announce(body)).toMatchObject({ status: 400 });
  });
});

describe('a configuration that cannot be read', () => {
  it('is refused with the frontends at fault, so that the others can go on without them', async () => {
    const bad = { ...web, port: 81, backends: [{ address: '10.0.0.1', port: 70_000 }] };
    expect(await put(web, bad)).toMatchObject({
      status: 400,
      body: {
        code: 'invalid',
        errors: [{ frontend: { address: '192.0.2.10', protocol: 'TCP', port: 81 }, code: 'invalid' }],
      },
    });
  });

  it('blames no frontend that cannot be named', async () => {
    expect(await put({ ...web, address: 'here' })).toMatchObject({ status: 400, body: { errors: [] } });
  });
});
