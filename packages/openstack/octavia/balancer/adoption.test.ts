import { describe, expect, it } from 'vitest';
import { testSite } from '../testing/test-site.ts';
import { adoptionSteps } from './adoption.ts';
import { descriptionOf } from './marks.ts';

const owner = { cluster: testSite.cluster, uid: 'uid-1', name: 'shop/web' };

function floatingIp(id: string, description: string) {
  const floating_ip_address = `203.0.113.${id}`;
  const rest = { floating_network_id: 'public', fixed_ip_address: null, router_id: null, project_id: 'p', tags: [] };
  return { ...rest, id, description, floating_ip_address, port_id: 'vip', status: 'DOWN', revision_number: 3 };
}

const balancer = {
  id: 'lb',
  name: 'shop/web',
  description: '',
  tags: ['theirs'],
  project_id: 'p',
  admin_state_up: true,
  provisioning_status: 'ACTIVE',
  operating_status: 'ONLINE',
  vip_address: '10.0.0.9',
  vip_port_id: 'vip',
  vip_subnet_id: undefined,
  vip_network_id: undefined,
  additional_vips: [],
  provider: 'amphora',
  flavor_id: undefined,
  availability_zone: undefined,
  listeners: [],
  pools: [],
};

describe('what is taken over', () => {
  it('gets our mark beside its tags, and so do the floating IPs that its maker made, but none of a user', () => {
    const theirs = 'Floating IP for Kubernetes external service shop/web from cluster kubernetes';
    const floatingIps = [floatingIp('1', 'kuryr_lb'), floatingIp('2', theirs), floatingIp('3', 'by hand')];
    const where = { adoptedAddresses: ['10.0.0.9'], adoptedSubnetId: undefined, servedById: undefined };
    const adoption = { owner, adoptedNames: ['shop/web'], ...where };
    const steps = adoptionSteps(adoption, balancer, floatingIps);
    const description = descriptionOf(owner);
    expect(steps).toMatchObject([
      { kind: 'hand-over-floating-ip', id: '1', description, revision: 3 },
      { kind: 'hand-over-floating-ip', id: '2', description, revision: 3 },
      // Last: a Service that is deleted before this finds the floating IPs by their mark.
      { kind: 'update-load-balancer', id: 'lb', changes: { description } },
    ]);
  });
});
