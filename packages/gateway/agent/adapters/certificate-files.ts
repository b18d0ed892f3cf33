import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError, parseIpAddress } from '@fairlead/control';
import type { PartCommand } from '@fairlead/part';
import { issueCertificate, type Issuer } from '../certificates/certificate.ts';
import { type FoundCertificate, reasonToIssue, validity } from '../certificates/renewal.ts';

const AUTHORITY_NAME = 'fairlead gateways';
const HOST = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Makes, and renews, what agents and controller show each other. Good certificates are left as they are. */
export const certificatesCommand = {
  name: 'certificates',
  summary: 'Makes the certificates of the controller and of the agents, and renews those that end soon.',
  arguments: [{ name: '<gateways...>', summary: 'each agent as NAME=HOST,…: gateway-1=192.0.2.1,gateway-1.example' }],
  options: [
    { flags: '--folder <folder>', summary: 'where the files are, and go', default: 'certificates' },
    { flags: '--controller <name>', summary: 'the DNS name of the controller', default: 'fairlead-controller' },
  ],
  needs: 'nothing',
  async run({ words, options, clock, print }) {
    const folder = String(options['folder']);
    const now = clock.now();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const authority = await ensureAuthority(folder, now, print);
    const controller = requireHost(String(options['controller']));
    await ensureCertificate({ folder, file: 'controller', role: 'client', hosts: [controller], now }, authority, print);
    for (const word of words) {
      const [name = '', list = ''] = word.split('=');
      const hosts = [
        requireHost(name),
        ...list
          .split(',')
          .filter((host) => host !== '')
          .map(requireHost),
      ];
      await ensureCertificate({ folder, file: `agent-${name}`, role: 'server', hosts, now }, authority, print);
    }
  },
} satisfies PartCommand<unknown>;

interface Authority extends Issuer {
  readonly publicKey: KeyObject;
}

async function ensureAuthority(folder: string, now: number, print: (line: string) => void): Promise<Authority> {
  const keyText = await readText(join(folder, 'authority.key'));
  if (keyText !== undefined) {
    const privateKey = createPrivateKey(keyText);
    const certificate = await readText(join(folder, 'authority.crt'));
    if (certificate !== undefined) {
      const found = new X509Certificate(certificate);
      if (found.validToDate.getTime() > now) return { name: AUTHORITY_NAME, privateKey, publicKey: found.publicKey };
      throw usage(
        `the authority in ${folder} has ended: move its files away, and give all agents and the controller new ones`,
      );
    }
  }
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = { name: AUTHORITY_NAME, privateKey };
  const dates = validity('authority', now);
  const contents = {
    name: AUTHORITY_NAME,
    role: 'authority' as const,
    hosts: [],
    publicKey,
    serial: serial(),
    ...dates,
  };
  await writeKey(folder, 'authority', privateKey);
  await replace(join(folder, 'authority.crt'), issueCertificate(contents, issuer), 0o644);
  print(`${join(folder, 'authority.crt')}: made`);
  return { ...issuer, publicKey };
}

interface WantedCertificate {
  readonly folder: string;
  /** Without its ending. */
  readonly file: string;
  readonly role: 'server' | 'client';
  readonly hosts: readonly string[];
  readonly now: number;
}

async function ensureCertificate(
  { folder, file, role, hosts, now }: WantedCertificate,
  authority: Authority,
  print: (line: string) => void,
): Promise<void> {
  const path = join(folder, `${file}.crt`);
  const text = await readText(path);
  const reason = reasonToIssue(text === undefined ? undefined : found(text, authority), hosts, now);
  if (reason === undefined) {
    print(`${path}: good`);
    return;
  }
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const contents = { name: hosts[0] ?? '', role, hosts, publicKey, serial: serial(), ...validity(role, now) };
  await writeKey(folder, file, privateKey);
  await replace(path, issueCertificate(contents, authority), 0o644);
  print(`${path}: made, because ${reason}`);
}

function found(text: string, authority: Authority): FoundCertificate {
  const certificate = new X509Certificate(text);
  const names = (certificate.subjectAltName ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
  return {
    hosts: names.map((name) => parseIpAddress(name)?.address ?? name),
    from: certificate.validFromDate.getTime(),
    until: certificate.validToDate.getTime(),
    isOurs: certificate.verify(authority.publicKey),
  };
}

function requireHost(text: string): string {
  const parsed = parseIpAddress(text);
  if (parsed !== undefined) return parsed.address;
  if (HOST.test(text)) return text;
  throw usage(`${JSON.stringify(text)} is no DNS name and no IP address: an agent is named as gateway-1=192.0.2.1`);
}

function usage(message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code: 'usage' });
}

function serial(): bigint {
  return BigInt(`0x${randomBytes(15).toString('hex')}`);
}

function writeKey(folder: string, file: string, key: KeyObject): Promise<void> {
  return replace(join(folder, `${file}.key`), key.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600);
}

async function replace(path: string, text: string, mode: number): Promise<void> {
  await writeFile(`${path}.new`, text, { mode });
  await rename(`${path}.new`, path);
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
