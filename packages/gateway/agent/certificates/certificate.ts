import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { ipAddressValue, parseIpAddress } from '@fairlead/control';
import {
  bitString,
  boolean,
  context,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

const COMMON_NAME = '2.5.4.3';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

/** What a certificate says, and until when. */
export interface CertificateContents {
  readonly name: string;
  /** Whether it may sign others, or whom it may be shown to. */
  readonly role: 'authority' | 'server' | 'client';
  /** DNS names and IP addresses. */
  readonly hosts: readonly string[];
  readonly publicKey: KeyObject;
  readonly serial: bigint;
  readonly from: number;
  readonly until: number;
}

export interface Issuer {
  readonly name: string;
  /** An elliptic curve's. */
  readonly privateKey: KeyObject;
}

/** An X.509 certificate, as PEM. */
export function issueCertificate(contents: CertificateContents, issuer: Issuer): string {
  const algorithm = sequence(objectIdentifier(ECDSA_WITH_SHA256));
  const body = sequence(
    context(0, integer(2n)),
    integer(contents.serial),
    algorithm,
    distinguishedName(issuer.name),
    sequence(time(contents.from), time(contents.until)),
    distinguishedName(contents.name),
    contents.publicKey.export({ type: 'spki', format: 'der' }),
    context(3, sequence(...extensions(contents, issuer))),
  );
  const signature = sign('sha256', body, issuer.privateKey);
  const encoded = sequence(body, algorithm, bitString(signature)).toString('base64');
  const lines = encoded.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function extensions({ role, hosts, publicKey }: CertificateContents, issuer: Issuer): readonly Buffer[] {
  const isAuthority = role === 'authority';
  const issuerKey = keyIdentifier(createPublicKey(issuer.privateKey));
  // Bits from the left: 0 signs data, 5 signs certificates, 6 signs lists of revoked ones.
  const usage = isAuthority ? bitString(Buffer.from([0b0000_0110]), 1) : bitString(Buffer.from([0b1000_0000]), 7);
  const purpose = role === 'server' ? SERVER_AUTHENTICATION : CLIENT_AUTHENTICATION;
  return [
    extension(BASIC_CONSTRAINTS, isAuthority ? sequence(boolean(true)) : sequence(), 'critical'),
    extension(KEY_USAGE, usage, 'critical'),
    extension(SUBJECT_KEY_IDENTIFIER, octetString(keyIdentifier(publicKey))),
    extension(AUTHORITY_KEY_IDENTIFIER, sequence(context(0, issuerKey, false))),
    ...(isAuthority ? [] : [extension(EXTENDED_KEY_USAGE, sequence(objectIdentifier(purpose)))]),
    ...(hosts.length === 0 ? [] : [extension(SUBJECT_ALTERNATIVE_NAME, sequence(...hosts.map(generalName)))]),
  ];
}

function extension(identifier: string, value: Buffer, isCritical?: 'critical'): Buffer {
  const critical = isCritical === undefined ? [] : [boolean(true)];
  return sequence(objectIdentifier(identifier), ...critical, octetString(value));
}

function generalName(host: string): Buffer {
  const parsed = parseIpAddress(host);
  if (parsed === undefined) return context(2, Buffer.from(host, 'latin1'), false);
  const digits = parsed.family === 'IPv4' ? 8 : 32;
  return context(7, Buffer.from(ipAddressValue(parsed.address).toString(16).padStart(digits, '0'), 'hex'), false);
}

function distinguishedName(commonName: string): Buffer {
  return sequence(set(sequence(objectIdentifier(COMMON_NAME), utf8String(commonName))));
}

function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}
