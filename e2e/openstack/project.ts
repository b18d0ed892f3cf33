import { readField, readText } from '../harness/untyped.ts';
import type { OpenStackAccess } from './openstack.ts';

/** What a user of load balancers may be. */
const ROLES = ['member', 'reader', 'load-balancer_member'];

/** A project of its own with a user of the same name and the password of all users: what others do does not show there. */
export async function createProject(
  { authUrl, adminPassword, userPassword }: OpenStackAccess,
  name: string,
): Promise<void> {
  let token = '';
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', ...(token === '' ? {} : { 'x-auth-token': token }) };
    const response = await fetch(`${authUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    token = response.headers.get('x-subject-token') ?? token;
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  };
  const domain = { id: 'default' };
  const password = { user: { name: 'admin', domain, password: adminPassword } };
  const identity = { methods: ['password'], password };
  await call('POST', '/auth/tokens', { auth: { identity, scope: { project: { name: 'admin', domain } } } });
  const project = readText(readField(await call('POST', '/projects', { project: { name } }), 'project'), 'id');
  const user = readText(
    readField(await call('POST', '/users', { user: { name, password: userPassword } }), 'user'),
    'id',
  );
  const roles = readField(await call('GET', '/roles'), 'roles');
  for (const role of Array.isArray(roles) ? roles : []) {
    if (!ROLES.includes(readText(role, 'name'))) continue;
    await call('PUT', `/projects/${project}/users/${user}/roles/${readText(role, 'id')}`);
  }
}
