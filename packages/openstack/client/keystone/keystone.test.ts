import { failure, result } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { emulated, withNetwork } from '../testing/emulated.ts';

const HOUR = 3_600_000;
const WHERE = 'Keystone of the cloud "test" at http://openstack.test/identity/v3';
const REFUSED = 'The request you have made requires authentication.';
const refused = (message: string) => ({ verdict: 'retriable', code: 'openstack-unauthorized', message });

const logins = ({ emulator }: ReturnType<typeof emulated>) => emulator.log.count('POST', 'tokens');

describe('Keystone', () => {
  it('logs in once for all who call at the same time, and again shortly before the token expires', async () => {
    const world = emulated();
    const { clock, neutron } = world;
    await result(clock, Promise.all([neutron.listPorts(), neutron.listNetworks(), neutron.listSubnets()]));
    expect(logins(world)).toBe(1);
    await clock.advance(HOUR - 400_000);
    await result(clock, neutron.listPorts());
    expect(logins(world)).toBe(1);
    await clock.advance(200_000);
    await result(clock, neutron.listPorts());
    expect(logins(world)).toBe(2);
  });

  it('logs in once more for all whose token was revoked', async () => {
    const world = emulated({ behaviour: { latency: span(100) } });
    const { clock, neutron, emulator } = world;
    await result(clock, neutron.listPorts());
    await clock.advance(60_000);
    emulator.identity.revokeTokens();
    await result(clock, Promise.all(Array.from({ length: 50 }, () => neutron.listPorts())));
    expect(logins(world)).toBe(2);
    expect(emulator.log.calls.filter(({ outcome }) => outcome === 401)).toHaveLength(50);
  });

  it.each([
    ['a password', () => ({})],
    [
      'a project by its id',
      ({ project }: ReturnType<typeof emulated>) => ({ project_name: null, project_id: project.id }),
    ],
    [
      'an application credential',
      ({ emulator, project }: ReturnType<typeof emulated>) => {
        const { id, secret } = emulator.identity.addApplicationCredential('demo', project);
        return { application_credential_id: id, application_credential_secret: secret };
      },
    ],
  ])('accepts %s', async (_, authOf) => {
    const world = emulated();
    const { neutron } = world.connect(authOf(world));
    expect(await result(world.clock, neutron.listPorts())).toEqual([]);
  });

  it('accepts a token, for as long as that lives', async () => {
    const world = emulated();
    const { clock, emulator, project } = world;
    const body = {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'demo', domain: { id: 'default' }, password: 'secret' } },
        },
        scope: { project: { id: project.id } },
      },
    };
    const { text } = emulator.identity.issue(body, HOUR, []);
    const { neutron } = world.connect({ token: text, password: null, username: null });
    expect(await result(clock, neutron.listPorts())).toEqual([]);
    await clock.advance(HOUR);
    const start = `${WHERE} does not accept the token: it has expired, was revoked, or is not of this cloud (`;
    const error = await failure(clock, neutron.listPorts());
    expect(error).toMatchObject(refused(expect.stringMatching(new RegExp(`^${escaped(start)}[^\n]*$`))));
  });

  it('says in one line that the password is wrong', async () => {
    const { clock, connect } = emulated();
    const { neutron } = connect({ password: 'wrong' });
    const start =
      `${WHERE} does not accept the user "demo" of the domain "default": ` +
      `check the name, its domain and the password (POST tokens/"test": ${REFUSED} (401 req-`;
    const error = await failure(clock, neutron.listPorts());
    expect(error).toMatchObject(refused(expect.stringMatching(new RegExp(`^${escaped(start)}[^\n]*$`))));
  });

  it('says in one line that it is the project', async () => {
    const { clock, connect } = emulated();
    const { neutron } = connect({ project_name: 'nowhere' });
    expect(await failure(clock, neutron.listPorts())).toMatchObject(
      refused(
        `${WHERE} accepts the user "demo" of the domain "default", but not for the project "nowhere" of the domain ` +
          '"default": there is no such project, or no role in it',
      ),
    );
  });

  it.each([
    ['is not there', { application_credential_id: 'x', application_credential_secret: 'y' }, 'Could not find'],
    ['has expired', undefined, REFUSED],
  ])('says in one line that an application credential %s', async (_, given, reason) => {
    const { clock, connect, emulator, project } = emulated();
    const made = emulator.identity.addApplicationCredential('demo', project, clock.now());
    const expired = { application_credential_id: made.id, application_credential_secret: made.secret };
    const auth = given ?? expired;
    const error = await failure(clock, connect(auth).neutron.listPorts());
    const start = `${WHERE} does not accept the application credential ${auth.application_credential_id}: check its id and secret, and whether it has expired or was deleted (POST tokens/"test": ${reason}`;
    expect(error).toMatchObject(refused(expect.stringMatching(new RegExp(`^${escaped(start)}[^\n]*$`))));
  });

  it('does not try what was refused again before a minute is over, however many ask', async () => {
    const world = emulated();
    const { clock, emulator, connect } = world;
    const { neutron } = connect({ password: 'wrong' });
    for (let count = 0; count < 10; count += 1) await failure(clock, neutron.listPorts());
    // With the project, and without it.
    expect(logins(world)).toBe(2);
    emulator.identity.setPassword('demo', 'wrong');
    await clock.advance(60_000);
    await result(clock, neutron.listPorts());
    expect(logins(world)).toBe(3);
  });

  it('does not make a port look gone when it is Keystone that is not found', async () => {
    const world = emulated();
    const { clock, emulator, neutron } = world;
    emulator.faults.next({ kind: 'tokens' }, { kind: 'refuse', status: 404 }, 10);
    expect(await failure(clock, neutron.findPort('x'))).toMatchObject({ code: 'openstack-unauthorized' });
  });

  it('waits for a Keystone that is away for a moment', async () => {
    const world = emulated();
    const { clock, emulator, neutron } = world;
    emulator.faults.next({ kind: 'tokens' }, { kind: 'refuse', status: 503 }, 2);
    expect(await result(clock, neutron.listPorts())).toEqual([]);
  });

  it('tells which services and regions there are, where the one that is needed is missing', async () => {
    const { clock, connect, session } = emulated({ behaviour: { octavia: { isOffered: false } } });
    const missing = (message: string) => ({ verdict: 'retriable', code: 'openstack-endpoint-missing', message });
    expect(await failure(clock, session.versions('load-balancer'))).toMatchObject(
      missing('the cloud "test" has no service of the type "load-balancer": it has identity, network'),
    );
    const elsewhere = connect({}, { region_name: 'south' });
    expect(await failure(clock, elsewhere.neutron.listPorts())).toMatchObject(
      missing('the cloud "test" has no service "network" in the region "south", but in "RegionOne"'),
    );
  });

  it('takes an endpoint from the configuration in place of the catalog', async () => {
    const world = emulated();
    const override = { network_endpoint_override: 'http://other.test/network/v2.0/' };
    const { neutron } = world.connect({}, override);
    withNetwork(world);
    expect(await result(world.clock, neutron.listNetworks())).toHaveLength(1);
  });
});

function span(milliseconds: number) {
  const one = { minimum: milliseconds, maximum: milliseconds };
  return { logins: one, reads: one, writes: one };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
