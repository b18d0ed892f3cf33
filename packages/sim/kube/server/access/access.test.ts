import { describe, expect, it } from 'vitest';
import { Simulated } from '../../testing/simulated.ts';
import type { AccessQuestion } from './access.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const tokens = new Map([
  ['secret', { name: 'controller', groups: ['system:authenticated'] }],
  ['root', { name: 'admin', groups: ['system:masters'] }],
]);

describe('who may do what', () => {
  it('is everything for every client where no tokens are configured', async () => {
    expect((await new Simulated().call('GET', SERVICES)).status).toBe(200);
  });

  it('goes by the bearer token', async () => {
    const asked: AccessQuestion[] = [];
    const authorize = (question: AccessQuestion): boolean => {
      asked.push(question);
      return question.verb !== 'delete';
    };
    const world = new Simulated({ tokens, authorize });
    const headers = { authorization: 'Bearer secret' };
    expect((await world.call('GET', SERVICES, undefined, headers)).status).toBe(200);
    const refused = await world.call('DELETE', `${SERVICES}/a`, undefined, headers);
    expect(refused.status).toBe(403);
    const refusal = 'User "controller" cannot delete resource "services" in API group "" in the namespace "default"';
    expect(refused.body).toMatchObject({
      reason: 'Forbidden',
      message: `services "a" is forbidden: ${refusal}`,
      details: { name: 'a', kind: 'services' },
    });
    expect(asked.map(({ user, verb, resource }) => [user.name, verb, resource])).toEqual([
      ['controller', 'list', 'services'],
      ['controller', 'delete', 'services'],
    ]);
  });

  it('refuses a token that belongs to no user', async () => {
    const world = new Simulated({ tokens });
    const refused = await world.call('GET', SERVICES, undefined, { authorization: 'Bearer wrong' });
    expect(refused).toMatchObject({ status: 401, body: { reason: 'Unauthorized', message: 'Unauthorized' } });
  });

  it('takes a client without a token for anonymous', async () => {
    const world = new Simulated({ tokens, authorize: 'roles' });
    const { body } = await world.call('GET', '/api/v1/services');
    expect(body.message).toContain(
      'User "system:anonymous" cannot list resource "services" in API group "" at the cluster scope',
    );
  });

  it('lets an administrator act for another user, and no other user', async () => {
    const world = new Simulated({ tokens, authorize: 'roles' });
    const acting = { 'impersonate-user': 'somebody' };
    const asAdmin = await world.call('GET', SERVICES, undefined, { authorization: 'Bearer root', ...acting });
    expect(asAdmin.body.message).toContain('User "somebody" cannot list');
    const asOther = await world.call('GET', SERVICES, undefined, { authorization: 'Bearer secret', ...acting });
    expect(asOther.body.message).toContain('User "controller" cannot list');
  });

  it('needs the right to create for a PUT or an apply that creates', async () => {
    const authorize = ({ verb }: AccessQuestion): boolean => verb !== 'create';
    const world = new Simulated({ tokens, authorize });
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
    const headers = { authorization: 'Bearer secret' };
    const put = await world.call('PUT', `${SERVICES}/a`, service, headers);
    const apply = await world.call('PATCH', `${SERVICES}/a?fieldManager=x`, service, {
      ...headers,
      'content-type': 'application/apply-patch+yaml',
    });
    expect([put.status, apply.status]).toEqual([403, 403]);
  });
});
