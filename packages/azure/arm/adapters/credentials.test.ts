import type { TokenCredential } from '@azure/identity';
import { serveBehindProxy } from '@fairlead/control/testing';
import { describe, expect, it, vi } from 'vitest';
import { createCredential, tokenFrom, tokenProviderFor } from './credentials.ts';

const cloud = {
  endpoint: 'https://management.azure.com',
  authorityHost: 'https://login.microsoftonline.com',
  scope: 'https://management.azure.com/.default',
};
const app = { tenantId: '00000000-0000-0000-0000-000000000001', clientId: 'app' };
const byCertificate = { kind: 'client-certificate', sendsChain: false, ...app } as const;
const bySecret = { kind: 'client-secret', secret: 'secret', ...app } as const;

describe('credentials', () => {
  it('makes the credential of each kind', async () => {
    const library = await import('@azure/identity');
    const kinds = [
      [{ kind: 'federated-token', tokenFile: '/token', ...app }, library.WorkloadIdentityCredential],
      [{ kind: 'managed-identity', identity: { kind: 'system' } }, library.ManagedIdentityCredential],
      [{ kind: 'managed-identity', identity: { kind: 'client-id', clientId: 'x' } }, library.ManagedIdentityCredential],
      [
        { kind: 'managed-identity', identity: { kind: 'resource-id', resourceId: '/x' } },
        library.ManagedIdentityCredential,
      ],
      [bySecret, library.ClientSecretCredential],
      [{ ...byCertificate, certificatePath: '/x.pem' }, library.ClientCertificateCredential],
    ] as const;
    for (const [choice, expected] of kinds) expect(createCredential(library, choice, cloud)).toBeInstanceOf(expected);
  });

  it('hands on the password of a certificate, and whether its chain is sent', async () => {
    const library = await import('@azure/identity');
    const choice = { ...byCertificate, certificatePath: '/x.pem', password: 'p', sendsChain: true };
    expect(createCredential(library, choice, cloud)).toMatchObject({
      certificateConfiguration: { certificatePath: '/x.pem', certificatePassword: 'p' },
      sendCertificateChain: true,
    });
  });

  it('asks for a token of the cloud, and passes on when it expires', async () => {
    const asked: unknown[] = [];
    const credential: TokenCredential = {
      async getToken(scope) {
        asked.push(scope);
        return { token: 'text', expiresOnTimestamp: 7 };
      },
    };
    const token = await tokenFrom(() => credential, bySecret, cloud, new AbortController().signal);
    expect(token).toEqual({ text: 'text', expiresAt: 7 });
    expect(asked).toEqual([cloud.scope]);
  });

  it('says in one line why there is no token, and what to check', async () => {
    const refusing: TokenCredential = {
      getToken: () => Promise.reject(new Error('AADSTS7000222: the secret is expired.\nTrace ID: 1\nTimestamp: 2')),
    };
    const signal = new AbortController().signal;
    await expect(tokenFrom(() => refusing, bySecret, cloud, signal)).rejects.toMatchObject({
      verdict: 'retriable',
      code: 'azure-token-unavailable',
      message:
        'cannot get an Azure token for the client secret: AADSTS7000222: the secret is expired.; ' +
        'check tenantId, aadClientId and aadClientSecret, and whether the secret has expired',
    });
    const empty: TokenCredential = { getToken: async () => null };
    await expect(tokenFrom(() => empty, bySecret, cloud, signal)).rejects.toThrow('none was given');
  });

  it('tells the same way of credentials that cannot be right', async () => {
    const provider = tokenProviderFor({ ...bySecret, tenantId: 'no tenant' }, cloud);
    await expect(provider?.newToken(new AbortController().signal)).rejects.toMatchObject({
      code: 'azure-token-unavailable',
    });
  });

  it('needs no tokens where none are asked for', () => {
    expect(tokenProviderFor({ kind: 'none' }, cloud)).toBeUndefined();
  });

  it('loads the library with the first token', async () => {
    const choice = { ...byCertificate, certificatePath: '/does/not/exist.pem' };
    const provider = tokenProviderFor(choice, cloud);
    await expect(provider?.newToken(new AbortController().signal)).rejects.toMatchObject({
      code: 'azure-token-unavailable',
      message: expect.stringContaining('check tenantId, aadClientId and aadClientCertPath'),
    });
  });

  it('asks for tokens through the proxy of the environment', async () => {
    await using behind = await serveBehindProxy((_, response) => void response.end());
    vi.stubEnv('HTTPS_PROXY', behind.proxy);
    const provider = tokenProviderFor(bySecret, cloud);
    const stop = new AbortController();
    const asked = provider?.newToken(stop.signal).catch(() => undefined);
    await vi.waitFor(() => expect(behind.asked).toContain('CONNECT login.microsoftonline.com:443'));
    stop.abort(new Error('seen'));
    await asked;
    vi.unstubAllEnvs();
  });
});
