import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { issueCertificate } from './certificate.ts';

const NOW = Date.UTC(2026, 0, 1);
const YEAR = 365 * 86_400_000;
const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const authority = keys();
const issuer = { name: 'fairlead gateways', privateKey: authority.privateKey };
const authorityCertificate = new X509Certificate(
  issueCertificate(
    {
      name: issuer.name,
      role: 'authority',
      hosts: [],
      publicKey: authority.publicKey,
      serial: 1n,
      from: NOW,
      until: NOW + 30 * YEAR,
    },
    issuer,
  ),
);

function issue(role: 'server' | 'client', hosts: readonly string[]): X509Certificate {
  const { publicKey } = keys();
  const contents = {
    name: hosts[0] ?? '',
    role,
    hosts,
    publicKey,
    serial: 0xff00ff00ff00ff00n,
    from: NOW,
    until: NOW + YEAR,
  };
  return new X509Certificate(issueCertificate(contents, issuer));
}

describe('a certificate that we issue', () => {
  it('is what Node reads of it', () => {
    const certificate = issue('server', ['gateway-1', '192.0.2.1', '2001:db8::1']);
    expect(certificate.subject).toBe('CN=gateway-1');
    expect(certificate.issuer).toBe('CN=fairlead gateways');
    expect(certificate.subjectAltName).toBe('DNS:gateway-1, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1');
    expect(certificate.serialNumber).toBe('FF00FF00FF00FF00');
    expect(certificate.validFromDate.getTime()).toBe(NOW);
    expect(certificate.validToDate.getTime()).toBe(NOW + YEAR);
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(certificate.checkIP('2001:db8::1')).toBe('2001:db8::1');
  });

  it('is signed by its authority, and by no other', () => {
    const certificate = issue('client', ['fairlead-controller']);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.verify(keys().publicKey)).toBe(false);
    expect(certificate.checkIssued(authorityCertificate)).toBe(true);
  });

  it('of an authority says so, also beyond 2049', () => {
    expect(authorityCertificate.ca).toBe(true);
    expect(authorityCertificate.verify(authority.publicKey)).toBe(true);
    expect(authorityCertificate.validToDate.getTime()).toBe(NOW + 30 * YEAR);
  });
});
