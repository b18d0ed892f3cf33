import type { JsonObject } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import { idIn, NOWHERE } from './ports.ts';

const rules: Scene = {
  name: 'security groups: rules',
  async play(stage) {
    const group = idIn(await stage.quietly('POST', '/security-groups', { security_group: { name: 'members' } }));
    const post = (fields: JsonObject) =>
      stage.post('/security-group-rules', {
        security_group_rule: { security_group_id: group, direction: 'ingress', ethertype: 'IPv4', ...fields },
      });
    const web = { protocol: 'tcp', port_range_min: 80, port_range_max: 80, remote_ip_prefix: '10.0.0.0/8' };
    const rule = idIn(await post({ ...web, description: 'ours' }));
    await post({ ...web, description: 'theirs' });
    await post({ ...web, port_range_min: 90 });
    await post({ ...web, remote_ip_prefix: 'fd00::/8' });
    await post({ port_range_min: 80, port_range_max: 80 });
    await post({ ...web, remote_group_id: group });
    await post({ protocol: 'tcp', remote_group_id: NOWHERE });
    await post({ security_group_id: NOWHERE, protocol: 'tcp' });
    await post({ bogus: 1 });
    await post({ protocol: 'udp', remote_ip_prefix: '10.0.0.1' });
    await stage.get(`/security-group-rules?security_group_id=${group}&direction=ingress&protocol=tcp`);
    await stage.get(`/security-group-rules?security_group_id=${group}&description=ours&fields=id`);
    await stage.get(
      `/security-group-rules?security_group_id=${group}&direction=egress&fields=ethertype&fields=protocol`,
    );
    await stage.put(`/security-group-rules/${rule}`, { security_group_rule: { description: 'x' } });
    await stage.delete(`/security-group-rules/${rule}`);
    await stage.delete(`/security-group-rules/${rule}`);
    await stage.get(`/security-group-rules/${rule}`);
    await stage.delete(`/security-groups/${group}`);
    await stage.get(`/security-groups/${group}`);
  },
};

export const securityGroupScenes: readonly Scene[] = [rules];
