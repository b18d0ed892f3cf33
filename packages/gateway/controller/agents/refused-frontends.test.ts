import { VirtualClock } from '@fairlead/control';
import { expect, it } from 'vitest';
import { frontendKey, virtualServer } from '../../protocol/configuration.ts';
import { RefusedFrontends } from './refused-frontends.ts';

const frontend = { address: '192.0.2.1', protocol: 'TCP', port: 80 };

function serverOf(service: string, more: object = {}) {
  return virtualServer.parse({ ...frontend, service, backends: [], preservesClientAddress: false, ...more });
}

function refused(current: ReturnType<typeof serverOf> | undefined) {
  const wanted = serverOf('shop/web');
  const { address, protocol, port } = wanted;
  const error = {
    frontend: { address, protocol, port },
    code: 'not-allowed',
    message: 'no',
    ...(current && { current }),
  };
  const frontends = new RefusedFrontends(new VirtualClock());
  frontends.add([error], new Map([[frontendKey(wanted), wanted]]));
  return { frontends, wanted, key: frontendKey(wanted) };
}

it('is asked for the next offer, however many were refused', () => {
  const { frontends, wanted } = refused(undefined);
  const many = Array.from({ length: 150_000 }, (_, index) => {
    const { address, protocol, port } = { ...wanted, port: index + 1 };
    return { frontend: { address, protocol, port }, code: 'not-allowed', message: 'no' };
  });
  frontends.add(many, new Map(many.map((error) => [frontendKey(error.frontend), wanted])));
  expect(frontends.offerAgainIn).toBe(300_000);
});

it('leaves at a refused frontend what the agent has there of the same Service', () => {
  const before = serverOf('shop/web', { backends: [{ address: '10.1.0.1', port: 8080 }] });
  const { frontends, wanted, key } = refused(before);
  expect(frontends.insteadOf(key, wanted, undefined)).toEqual(before);
});

it('leaves nothing there of another Service, which had the address before', () => {
  const others = serverOf('bank/vault', { backends: [{ address: '10.1.0.9', port: 8080 }] });
  const { frontends, wanted, key } = refused(others);
  expect(frontends.insteadOf(key, wanted, undefined)).toBeUndefined();
  expect(frontends.insteadOf(key, wanted, others)).toBeUndefined();
});
