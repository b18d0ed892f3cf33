import { isRecord } from '@fairlead/control';
import { z } from 'zod';
import { type Credential, invalidCloud, type Named, type OpenStackCloud } from './cloud.ts';

/** YAML has numbers and switches where people forget the quotes: an id of digits, a password of digits. */
const text = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be a text' })
  .transform(String)
  .transform((value) => (value === '' ? undefined : value))
  .nullish()
  .transform((value) => value ?? undefined);
const YES = new Set(['true', 'yes', 'on', '1']);
const flag = text.transform((value) => (value === undefined ? undefined : YES.has(value.toLowerCase())));

const auth = z.object({
  auth_url: text,
  username: text,
  user_id: text,
  password: text,
  user_domain_id: text,
  user_domain_name: text,
  project_id: text,
  project_name: text,
  tenant_id: text,
  tenant_name: text,
  project_domain_id: text,
  project_domain_name: text,
  default_domain: text,
  default_domain_id: text,
  application_credential_id: text,
  application_credential_name: text,
  application_credential_secret: text,
  token: text,
});

/** What OpenStack's own clients take from an entry of clouds.yaml; all else in it is for other services. */
const entryShape = z.object({
  auth: auth.prefault({}),
  auth_type: text,
  profile: text,
  region_name: text,
  interface: text,
  endpoint_type: text,
  cacert: text,
  cert: text,
  key: text,
  verify: flag,
  insecure: flag,
  network_endpoint_override: text,
  load_balancer_endpoint_override: text,
});

type Entry = z.infer<typeof entryShape>;

/** Where entries have keys of `auth`: an older spelling puts them beside it. */
const AUTH_KEYS = new Set(Object.keys(auth.shape));

/** Reads an entry of clouds.yaml, or what the environment gives in its shape. `name` is how messages call it. */
export function parseCloudEntry(value: unknown, name: string): OpenStackCloud {
  const parsed = entryShape.safeParse(withAuthGathered(value));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
    throw invalidCloud(`the cloud ${name} is not as clouds.yaml has them: ${problems.join('; ')}`);
  }
  const entry = parsed.data;
  const credential = credentialOf(entry, name);
  return {
    name,
    authUrl: authUrlOf(entry, name),
    credential,
    project: credential.kind === 'application-credential' ? undefined : projectOf(entry, name, credential),
    region: entry.region_name,
    interface: interfaceOf(entry, name),
    endpoints: new Map(
      Object.entries({
        network: entry.network_endpoint_override,
        'load-balancer': entry.load_balancer_endpoint_override,
      }).flatMap(([service, url]) => (url === undefined ? [] : [[service, url]])),
    ),
    tls: {
      ...(entry.cacert === undefined ? {} : { certificateAuthorityFile: entry.cacert }),
      ...(entry.cert === undefined ? {} : { certificateFile: entry.cert }),
      ...(entry.key === undefined ? {} : { keyFile: entry.key }),
      ...(entry.verify === false || entry.insecure === true ? { insecure: true } : {}),
    },
  };
}

function withAuthGathered(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const spelled = Object.entries(value).map(([key, field]) => [key.replaceAll('-', '_'), field] as const);
  const beside = spelled.filter(([key]) => AUTH_KEYS.has(key));
  const { auth: inside, ...rest } = Object.fromEntries(spelled.filter(([key]) => !AUTH_KEYS.has(key)));
  if (inside !== undefined && inside !== null && !isRecord(inside)) return { ...rest, auth: inside };
  return { ...rest, auth: { ...Object.fromEntries(beside), ...inside } };
}

function authUrlOf({ auth: { auth_url }, profile }: Entry, name: string): string {
  if (auth_url === undefined && profile !== undefined) {
    throw invalidCloud(`the cloud ${name} takes its auth_url from the profile "${profile}": write it into its auth`);
  }
  if (auth_url === undefined) throw invalidCloud(`the cloud ${name} lacks auth_url, the address of Keystone`);
  if (!URL.canParse(auth_url) || !/^https?:$/.test(new URL(auth_url).protocol)) {
    throw invalidCloud(`the auth_url of the cloud ${name} must begin with https:// or http://, unlike "${auth_url}"`);
  }
  const url = auth_url.replace(/\/+$/, '');
  if (/\/v2(?:\.0)?$/.test(url)) {
    throw invalidCloud(`the auth_url of the cloud ${name} is that of Keystone v2, which is gone: let it end in /v3`);
  }
  return url.endsWith('/v3') ? url : `${url}/v3`;
}

const AUTH_TYPES: ReadonlyMap<string, Credential['kind']> = new Map([
  ['password', 'password'],
  ['v3password', 'password'],
  ['v3applicationcredential', 'application-credential'],
  ['token', 'token'],
  ['v3token', 'token'],
]);

function credentialOf(entry: Entry, name: string): Credential {
  const { auth } = entry;
  switch (credentialKind(entry, name)) {
    case 'password':
      return { kind: 'password', user: userOf(auth, name), password: required(auth, 'password', name) };
    case 'token':
      return { kind: 'token', token: required(auth, 'token', name) };
    case 'application-credential': {
      const secret = required(auth, 'application_credential_secret', name);
      const { application_credential_id: id } = auth;
      const credential =
        id === undefined
          ? { name: required(auth, 'application_credential_name', name), user: userOf(auth, name) }
          : { id };
      return { kind: 'application-credential', credential, secret };
    }
  }
}

function credentialKind({ auth_type, auth }: Entry, name: string): Credential['kind'] {
  if (auth_type !== undefined) {
    const known = AUTH_TYPES.get(auth_type);
    if (known !== undefined) return known;
    const types = [...AUTH_TYPES.keys()].join(', ');
    throw invalidCloud(`the cloud ${name} has the auth_type "${auth_type}", which is not supported: use ${types}`);
  }
  if (auth.application_credential_secret !== undefined) return 'application-credential';
  return auth.token !== undefined && auth.password === undefined ? 'token' : 'password';
}

function userOf(auth: Entry['auth'], name: string): Named {
  if (auth.user_id !== undefined) return { id: auth.user_id };
  const domain = domainOf(auth, auth.user_domain_id, auth.user_domain_name);
  return { name: required(auth, 'username', name), domain };
}

/** A token may have its project in it already. */
function projectOf({ auth }: Entry, name: string, credential: Credential): Named | undefined {
  const id = auth.project_id ?? auth.tenant_id;
  if (id !== undefined) return { id };
  const project = auth.project_name ?? auth.tenant_name;
  if (project !== undefined) {
    return { name: project, domain: domainOf(auth, auth.project_domain_id, auth.project_domain_name) };
  }
  if (credential.kind === 'token') return undefined;
  throw invalidCloud(`the cloud ${name} lacks project_name or project_id: the project to work in`);
}

function domainOf(auth: Entry['auth'], id: string | undefined, name: string | undefined) {
  if (id !== undefined) return { id };
  if (name !== undefined) return { name };
  return { id: auth.default_domain_id ?? auth.default_domain ?? 'default' };
}

function interfaceOf({ interface: chosen, endpoint_type }: Entry, name: string): OpenStackCloud['interface'] {
  const text = (chosen ?? endpoint_type ?? 'public').replace(/URL$/, '');
  if (text === 'public' || text === 'internal' || text === 'admin') return text;
  throw invalidCloud(`the cloud ${name} has the interface "${text}": use public, internal or admin`);
}

function required(auth: Entry['auth'], key: keyof Entry['auth'], name: string): string {
  const value = auth[key];
  if (value === undefined) throw invalidCloud(`the cloud ${name} lacks ${key}`);
  return value;
}
