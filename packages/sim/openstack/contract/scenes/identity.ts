import { textOf, valueAt } from '../../../json.ts';
import type { Scene } from '../scene.ts';

const NOT_LOGGED_IN = '';

const passwords: Scene = {
  name: 'identity: passwords and projects',
  async play(stage) {
    const good = stage.passwordOf('demo');
    const { identity = {} } = good;
    await stage.login('good', good);
    await stage.login('into the project of another', stage.passwordOf('demo', 'other'));
    await stage.login('into no project', stage.passwordOf('demo', 'nowhere'));
    await stage.login('without a project', { identity });
    await stage.login('expressly without a project', { identity, scope: 'unscoped' });
    const domain = { id: 'default' };
    const wrong = (user: object) => ({ identity: { methods: ['password'], password: { user: { domain, ...user } } } });
    await stage.login('wrong password', wrong({ name: 'demo', password: 'wrong' }));
    await stage.login('unknown user', wrong({ name: 'nobody', password: 'wrong' }));
    await stage.login('unknown domain', wrong({ name: 'demo', domain: { name: 'nowhere' }, password: 'demopw' }));
  },
};

const applicationCredentials: Scene = {
  name: 'identity: application credentials',
  async play(stage) {
    const login = (label: string, id: string, secret: string) =>
      stage.login(label, {
        identity: { methods: ['application_credential'], application_credential: { id, secret } },
      });
    await login('unknown', 'unknown', 'x');
    const token = await stage.tokenOf('demo');
    const user = textOf(
      valueAt(await stage.keystone('GET', '/auth/tokens', undefined, of(token)), 'token', 'user', 'id'),
    );
    const create = async (more: Readonly<Record<string, string>>) => {
      const name = `contract-${stage.cloud.now()}-${Object.keys(more).length}`;
      const path = `/users/${user}/application_credentials`;
      const body = { application_credential: { name, ...more } };
      const made = valueAt(await stage.keystone('POST', path, body, of(token)), 'application_credential');
      return { id: textOf(valueAt(made, 'id')), secret: textOf(valueAt(made, 'secret')) };
    };
    const lasting = await create({});
    await login('good', lasting.id, lasting.secret);
    await login('wrong secret', lasting.id, 'wrong');
    const expires_at = new Date(stage.cloud.now() + 2_000).toISOString().slice(0, 19);
    const short = await create({ expires_at });
    await stage.cloud.wait(3_000);
    await login('expired', short.id, short.secret);
  },
};

const tokens: Scene = {
  name: 'identity: tokens',
  async play(stage) {
    const login = (label: string, id: string) =>
      stage.login(label, { identity: { methods: ['token'], token: { id } }, scope: project });
    const project = { project: { name: 'demo', domain: { id: 'default' } } };
    await login('not one', 'x');
    const first = await stage.login('by password', stage.passwordOf('demo'));
    const second = await login('by token', first);
    const ports = '/ports?name=none';
    await stage.get(ports, { token: second });
    await stage.get(ports, { token: NOT_LOGGED_IN });
    await stage.get(ports, { token: 'x' });
    await stage.keystone('DELETE', '/auth/tokens', undefined, of(second));
    await login('revoked', second);
    // The services remember for a while that it was good.
    await stage.get(ports, { token: second });
  },
};

function of(token: string): Readonly<Record<string, string>> {
  return { 'x-auth-token': token, 'x-subject-token': token };
}

export const identityScenes: readonly Scene[] = [passwords, applicationCredentials, tokens];
