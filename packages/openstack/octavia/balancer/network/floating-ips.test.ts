import { clusterId } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { FloatingIp } from '../../../client/index.ts';
import { floatingIpSteps } from './floating-ips.ts';
import { descriptionOf } from '../marks.ts';

const owner = { cluster: clusterId('cluster-1'), uid: 'uid-1', name: 'shop/web' };
const wanted = { network_id: 'public' };

function floatingIp(id: string, changes: Partial<FloatingIp> = {}): FloatingIp {
  return {
    id,
    description: '',
    project_id: 'project-1',
    floating_network_id: 'public',
    floating_ip_address: `203.0.113.${id}`,
    fixed_ip_address: null,
    port_id: null,
    revision_number: 3,
    tags: [],
    ...changes,
  };
}

const ours = (id: string, port_id: string | null) => floatingIp(id, { description: descriptionOf(owner), port_id });

describe('the floating IP of a VIP', () => {
  it('of a user is as good as ours, and stays', () => {
    expect(floatingIpSteps(owner, wanted, 'vip', [floatingIp('1', { port_id: 'vip' })])).toEqual([]);
  });

  it('of a user makes way for the one that is asked for, and is not deleted', () => {
    const steps = floatingIpSteps(owner, { ...wanted, address: '203.0.113.2' }, 'vip', [
      floatingIp('1', { port_id: 'vip' }),
      floatingIp('2'),
    ]);
    expect(steps).toEqual([
      { kind: 'detach-floating-ip', id: '1', revision: 3 },
      { kind: 'assign-floating-ip', id: '2', portId: 'vip', revision: 3 },
    ]);
  });

  it('is not taken from another port, nor from another for whom it was made', () => {
    const asked = { ...wanted, address: '203.0.113.2' };
    const made = descriptionOf({ ...owner, uid: 'uid-2' });
    for (const changes of [{ port_id: 'machine' }, { description: made }]) {
      expect(() => floatingIpSteps(owner, asked, 'vip', [floatingIp('2', changes)])).toThrowError(
        expect.objectContaining({ code: 'address-unavailable' }),
      );
    }
  });

  it('of ours that is on no port any more is put back, and no other is made', () => {
    expect(floatingIpSteps(owner, wanted, 'vip', [ours('1', null)])).toEqual([
      { kind: 'assign-floating-ip', id: '1', portId: 'vip', revision: 3 },
    ]);
  });

  it('of ours is deleted where another is asked for, wherever it is', () => {
    const steps = floatingIpSteps(owner, { ...wanted, address: '203.0.113.3' }, 'vip', [
      ours('1', 'vip'),
      ours('2', null),
      floatingIp('3'),
    ]);
    expect(steps.map(({ kind, ...rest }) => [kind, 'id' in rest ? rest.id : ''])).toEqual([
      ['delete-floating-ip', '1'],
      ['delete-floating-ip', '2'],
      ['assign-floating-ip', '3'],
    ]);
  });
});
