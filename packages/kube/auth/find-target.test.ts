import { describe, expect, it } from 'vitest';
import { FakeHost } from '../testing/fake-host.ts';
import { findTarget } from './find-target.ts';

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const config = (server: string) =>
  `{current-context: c, contexts: [{name: c, context: {cluster: c}}],
    clusters: [{name: c, cluster: {server: "${server}"}}]}`;

function inPod(): FakeHost {
  const host = new FakeHost();
  host.variables.set('KUBERNETES_SERVICE_HOST', 'fd00::1');
  host.variables.set('KUBERNETES_SERVICE_PORT', '443');
  host.files.set(`${MOUNT}/token`, 't').set(`${MOUNT}/namespace`, 'fairlead\n');
  return host;
}

describe('findTarget', () => {
  it('takes the kubeconfig it is told before all others', async () => {
    const host = inPod();
    host.variables.set('KUBECONFIG', '/other');
    host.files.set('/other', config('https://other')).set('/told', config('https://told'));
    expect((await findTarget(host, { kubeconfig: '/told' })).cluster.server).toBe('https://told');
    expect((await findTarget(host)).cluster.server).toBe('https://other');
  });

  it('does not fall back on another when the one it was told is not there', async () => {
    await expect(findTarget(inPod(), { kubeconfig: '/nowhere' })).rejects.toMatchObject({
      code: 'kubeconfig-missing',
      message: 'kubeconfig /nowhere does not exist: correct the path',
    });
  });

  it('merges the files of KUBECONFIG, those that are there', async () => {
    const host = new FakeHost();
    host.variables.set('KUBECONFIG', '/missing:/one::/two');
    host.files.set('/one', config('https://one')).set('/two', config('https://two'));
    expect(await findTarget(host)).toMatchObject({
      source: 'context "c" of /one, /two',
      cluster: { server: 'https://one' },
    });
    host.files.clear();
    await expect(findTarget(host)).rejects.toThrow('/missing, /one, /two (from KUBECONFIG) does not exist');
  });

  it('is the service account of the Pod it runs in', async () => {
    expect(await findTarget(inPod())).toEqual({
      source: 'the service account of this Pod',
      isPod: true,
      cluster: {
        server: 'https://[fd00::1]:443',
        certificateAuthority: { kind: 'file', path: `${MOUNT}/ca.crt` },
        insecure: false,
      },
      user: { token: { kind: 'file', path: `${MOUNT}/token` } },
      namespace: 'fairlead',
    });
  });

  it('takes the kubeconfig of the home last, or when a context is named', async () => {
    const host = new FakeHost();
    host.files.set('/home/operator/.kube/config', config('https://home'));
    expect((await findTarget(host)).cluster.server).toBe('https://home');
    const pod = inPod();
    pod.files.set('/home/operator/.kube/config', config('https://home'));
    expect((await findTarget(pod)).source).toBe('the service account of this Pod');
    expect((await findTarget(pod, { context: 'c' })).cluster.server).toBe('https://home');
  });

  it('says where it looked when there is nothing', async () => {
    await expect(findTarget(new FakeHost())).rejects.toMatchObject({
      code: 'kubeconfig-missing',
      message: expect.stringContaining('/home/operator/.kube/config'),
    });
  });
});
