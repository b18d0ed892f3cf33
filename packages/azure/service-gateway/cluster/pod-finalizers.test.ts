import { VirtualClock } from '@fairlead/control';
import { KubeClient, type Pod } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { podUid } from '../engine/nrp-key.ts';
import { POD_FINALIZER } from './egress-pod.ts';
import { PodFinalizers } from './pod-finalizers.ts';

const metadata = { namespace: 'shop', name: 'one', uid: 'its-uid', resourceVersion: '1' };

describe('PodFinalizers', () => {
  it('begin no write that the Lease may not outlive by the time the pod has been read', async () => {
    const api = new FakeApi();
    const clock = new VirtualClock();
    api.put('/api/v1/namespaces/shop/pods/one', {
      kind: 'Pod',
      metadata: { ...metadata, finalizers: [POD_FINALIZER] },
    });
    let isLeaseLong = true;
    api.fault = () => {
      isLeaseLong = false;
      return undefined;
    };
    const seen: Pod = { metadata, spec: { containers: [] } };
    const { signal } = new AbortController();
    const finalizers = new PodFinalizers({
      client: new KubeClient(api.connect(clock), clock),
      leadership: { epoch: 1, signal, covers: () => isLeaseLong },
      feed: {
        lookAt: () => {},
        finalizerChange: () => 'remove',
        podOf: () => seen,
        onFinalizerAttempted: () => {},
        onFinalizerWritten: () => {},
        adoptStray: () => {},
      },
    });
    await expect(finalizers.work(podUid('its-uid'), signal)).rejects.toMatchObject({ code: 'lease-too-short' });
    expect(api.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});
