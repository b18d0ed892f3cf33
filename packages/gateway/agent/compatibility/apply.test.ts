import { createHmac } from 'node:crypto';
import { silentLogger, VirtualClock } from '@fairlead/control';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ConfigurationRequest, Generation } from '../../protocol/configuration.ts';
import { answerApply } from './apply.ts';

const secret = Buffer.from('0123456789abcdef0123456789abcdef');
const NOW = Date.UTC(2026, 0, 1);
const clock = new VirtualClock({ startsAt: NOW });
const exp = NOW / 1_000 + 30;
const taken: ConfigurationRequest[] = [];
let generation: Generation | undefined;

const configuration = {
  ingress: [
    {
      address: '192.0.2.1',
      ports: [
        {
          protocol: 'TCP',
          'inbound-port': 80,
          'destination-addresses': ['10.0.0.1', '10.0.0.2'],
          'destination-port': 30_080,
          policy: 'roundrobin',
        },
      ],
    },
  ],
  'network-policies': null,
  'policy-assignments': [],
};

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function token(claims: object, { alg = 'HS256', key = secret } = {}): string {
  const signed = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

const good = { exp, 'load-balancer-config': configuration };

async function post(body: string, more: { method?: string; type?: string; path?: string } = {}): Promise<number> {
  const request = { method: 'POST', path: '/v1/apply', type: 'application/jwt', body, from: '198.51.100.1', ...more };
  const configurable = {
    status: () => ({ programmed: true, heldAddresses: [], ...(generation === undefined ? {} : { generation }) }),
    take(asked: ConfigurationRequest) {
      taken.push(asked);
      generation = asked.generation;
      return Promise.resolve({ kind: 'taken' as const, generation: asked.generation });
    },
  };
  return (await answerApply(request, { secret, configurable, clock, logger: silentLogger })).status;
}

beforeEach(() => {
  taken.length = 0;
  generation = undefined;
});

describe('POST /v1/apply of ch-k8s-lbaas', () => {
  it('is understood', async () => {
    expect(await post(token(good))).toBe(200);
    expect(taken).toMatchObject([
      {
        kind: 'whole',
        virtualServers: [
          {
            address: '192.0.2.1',
            protocol: 'TCP',
            port: 80,
            backends: [
              { address: '10.0.0.1', port: 30_080 },
              { address: '10.0.0.2', port: 30_080 },
            ],
          },
        ],
      },
    ]);
  });

  it('rises with the end of its tokens, and within a second in the order of arrival', async () => {
    for (const end of [exp, exp, exp + 1]) await post(token({ ...good, exp: end }));
    const numbers = taken.map((request) => request.generation.number);
    expect(numbers).toEqual([exp * 1_000, exp * 1_000 + 1, (exp + 1) * 1_000]);
  });

  it.each([
    ['without an end', token({ 'load-balancer-config': configuration })],
    ['that has ended', token({ ...good, exp: NOW / 1_000 - 1 })],
    ['without an end in sight', token({ ...good, exp: NOW / 1_000 + 100_000 })],
    ['with another key', token(good, { key: Buffer.from('another') })],
    ['that names no algorithm', token(good, { alg: 'none' })],
    ['that names another algorithm', token(good, { alg: 'HS512' })],
    ['without a signature', token(good).split('.').slice(0, 2).join('.')],
    ['with an empty signature', `${token(good).split('.').slice(0, 2).join('.')}.`],
    ['with network policies', token({ exp, 'load-balancer-config': { ...configuration, 'network-policies': [{}] } })],
    [
      'with a crafted address',
      token({
        exp,
        'load-balancer-config': {
          ingress: [{ address: '1.2.3.4; x', ports: [{ ...configuration.ingress[0]?.ports[0] }] }],
        },
      }),
    ],
    ['that is none', 'hello'],
  ])('refuses a token %s', async (_, body) => {
    expect(await post(body)).toBe(400);
    expect(taken).toEqual([]);
  });

  it('knows no other way', async () => {
    expect(await post(token(good), { method: 'PUT' })).toBe(405);
    expect(await post(token(good), { type: 'application/json' })).toBe(415);
    expect(await post(token(good), { path: '/v1/config' })).toBe(404);
    expect(taken).toEqual([]);
  });
});
