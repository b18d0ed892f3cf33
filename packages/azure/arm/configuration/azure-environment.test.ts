import { describe, expect, it } from 'vitest';
import { authorityOf, withEnvironment } from './azure-environment.ts';
import { parseCloudConfiguration } from './cloud-configuration.ts';
import { chooseCredential } from './credential-choice.ts';

const least = { subscriptionId: 'sub', resourceGroup: 'cluster', location: 'westeurope' };
const application = { AZURE_TENANT_ID: 'tenant', AZURE_CLIENT_ID: 'app' };
const workload = { ...application, AZURE_FEDERATED_TOKEN_FILE: '/var/run/token' };
const app = { tenantId: 'tenant', clientId: 'app' };

function chosen(configuration: object, environment: Readonly<Record<string, string>>) {
  const parsed = parseCloudConfiguration(JSON.stringify({ ...least, ...configuration }), 'azure.json');
  return chooseCredential(withEnvironment(parsed, environment), environment);
}

describe('the AZURE_* variables', () => {
  it('give credentials where the configuration names none: secret, certificate, then workload identity', () => {
    const secret = { ...workload, AZURE_CLIENT_SECRET: 's', AZURE_CLIENT_CERTIFICATE_PATH: '/c.pem' };
    expect(chosen({}, secret)).toEqual({ kind: 'client-secret', secret: 's', ...app });
    const certificate = { ...secret, AZURE_CLIENT_SECRET: '' };
    const byCertificate = { kind: 'client-certificate', certificatePath: '/c.pem', sendsChain: false, ...app };
    expect(chosen({}, certificate)).toEqual(byCertificate);
    const locked = {
      ...certificate,
      AZURE_CLIENT_CERTIFICATE_PASSWORD: 'p',
      AZURE_CLIENT_SEND_CERTIFICATE_CHAIN: 'True',
    };
    expect(chosen({}, locked)).toEqual({ ...byCertificate, password: 'p', sendsChain: true });
    expect(chosen({}, { ...locked, AZURE_CLIENT_SEND_CERTIFICATE_CHAIN: '0' })).toMatchObject({ sendsChain: false });
    expect(chosen({}, { ...locked, AZURE_CLIENT_SEND_CERTIFICATE_CHAIN: '1' })).toMatchObject({ sendsChain: true });
    expect(chosen({}, workload)).toEqual({ kind: 'federated-token', tokenFile: '/var/run/token', ...app });
  });

  it('fill in what the configuration leaves open, and change nothing that it says', () => {
    const federated = { useFederatedWorkloadIdentityExtension: true };
    expect(chosen(federated, workload)).toEqual({ kind: 'federated-token', tokenFile: '/var/run/token', ...app });
    expect(chosen({ ...federated, aadClientId: 'own' }, workload)).toMatchObject({ clientId: 'own' });
    expect(chosen({ useManagedIdentityExtension: true }, workload)).toMatchObject({ kind: 'managed-identity' });
    const own = { aadClientSecret: 'own' };
    expect(chosen(own, { ...application, AZURE_CLIENT_SECRET: 's' })).toMatchObject({ secret: 'own', ...app });
  });

  it('leave a certificate of the configuration with its own password', () => {
    const own = { aadClientCertPath: '/own.pem', aadClientCertPassword: 'own' };
    const environment = {
      ...application,
      AZURE_CLIENT_CERTIFICATE_PATH: '/c.pem',
      AZURE_CLIENT_CERTIFICATE_PASSWORD: 'p',
    };
    expect(chosen(own, environment)).toMatchObject({ certificatePath: '/own.pem', password: 'own' });
    const { aadClientCertPath } = own;
    expect(chosen({ aadClientCertPath }, environment)).not.toHaveProperty('password');
  });

  it('are named where there are no credentials at all', () => {
    expect(() => chosen({}, {})).toThrow('AZURE_CLIENT_SECRET');
  });

  it('say who gives tokens, unless the configuration names the cloud', () => {
    const environment = { AZURE_AUTHORITY_HOST: 'https://login.test/' };
    expect(authorityOf({ ...least }, 'https://usual', environment)).toBe('https://login.test/');
    expect(authorityOf({ ...least }, 'https://usual', {})).toBe('https://usual');
    expect(authorityOf({ ...least, cloud: 'AzureChinaCloud' }, 'https://usual', environment)).toBe('https://usual');
  });
});
