import { seededRandom, VirtualClock } from '@fairlead/control';
import { KubeClient } from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import type { Permission } from '@fairlead/part';
import { type AccessQuestion, SimulatedKube } from '@fairlead/sim/kube';
import { describe, expect, it } from 'vitest';
import { requirePermissions } from './permissions.ts';

const because = 'It publishes an address.';
const needed: readonly Permission[] = [
  { group: '', resources: ['services/status'], verbs: ['patch'], scope: 'cluster', because },
  { group: 'coordination.k8s.io', resources: ['leases'], verbs: ['get', 'create'], scope: 'own-namespace', because },
];

function required(authorize: (question: AccessQuestion) => boolean): Promise<void> {
  const clock = new VirtualClock();
  const kube = new SimulatedKube({ clock, random: seededRandom(1), authorize });
  const client = new KubeClient(connectionOver(kube.transport(), clock), clock);
  return requirePermissions(client, needed, 'fairlead-system', new AbortController().signal);
}

describe('what has to be allowed before it starts', () => {
  it('is fine where all of it is', async () => {
    await expect(required(() => true)).resolves.toBeUndefined();
  });

  it('is named in one line where it is missing, be it one thing or several', async () => {
    await expect(required(({ subresource }) => subresource !== 'status')).rejects.toThrow(
      /^missing permission: patch services\/status \(It publishes an address\); give them to our account by a role$/,
    );
    await expect(required(({ resource }) => resource !== 'leases')).rejects.toThrow(
      /^missing permissions: get leases\.coordination\.k8s\.io \(.*\); create leases\.coordination\.k8s\.io \(/,
    );
  });

  it('is asked for in our own namespace where it is needed there alone', async () => {
    await expect(
      required(({ resource, namespace }) => resource !== 'leases' || namespace === 'fairlead-system'),
    ).resolves.toBeUndefined();
  });
});
