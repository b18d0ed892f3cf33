import type { JsonObject } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import { idIn, NOWHERE } from './ports.ts';

const life: Scene = {
  name: 'floating IPs: from creation to deletion',
  async play(stage) {
    const { id: network_id, subnets } = await stage.network('floating', '10.8.0.0/24');
    const floating_network_id = await stage.routeToPublic(subnets[0] ?? '');
    const port = idIn(await stage.post('/ports', { port: { network_id, name: 'web' } }));
    const floating = idIn(
      await stage.post('/floatingips', { floatingip: { floating_network_id, description: 'ours' } }),
    );
    const path = `/floatingips/${floating}`;
    await stage.put(`${path}/tags`, { tags: ['own=1', 'b'] });
    await stage.put(path, { floatingip: { port_id: port } });
    await stage.put(path, { floatingip: { port_id: port } });
    await stage.get(`/ports/${port}`);
    await stage.get(`/floatingips?port_id=${port}&fields=id&fields=tags`);
    await stage.get(`/floatingips?tags=own%3D1&floating_network_id=${floating_network_id}&fields=id`);
    await stage.put(path, { floatingip: { description: 'theirs' } });
    await stage.put(path, { floatingip: { port_id: null } });
    await stage.put(path, { floatingip: { port_id: null } });
    await stage.put(path, { floatingip: { port_id: port } });
    await stage.delete(`/ports/${port}`);
    await stage.get(path);
    // While the first is there: by lot, Neutron may give its address again.
    const second = idIn(await stage.quietly('POST', '/ports', { port: { network_id, name: 'second' } }));
    await stage.post('/floatingips', { floatingip: { floating_network_id, port_id: second } });
    await stage.delete(path);
    await stage.delete(path);
    await stage.get(path);
  },
};

const mistakes: Scene = {
  name: 'floating IPs: mistakes',
  async play(stage) {
    const { id: network_id, subnets } = await stage.network('mistaken', '10.8.1.0/24');
    const floating_network_id = await stage.publicNetwork();
    const port = idIn(await stage.quietly('POST', '/ports', { port: { network_id } }));
    const post = (fields: JsonObject) => stage.post('/floatingips', { floatingip: { floating_network_id, ...fields } });
    await post({ tags: ['a'] });
    await post({ bogus: 1 });
    await post({ floating_network_id: network_id });
    await post({ floating_network_id: NOWHERE });
    await post({ floating_ip_address: '203.0.113.200' });
    await post({ port_id: NOWHERE });
    await post({ port_id: port });
    await stage.post('/floatingips', { floatingip: {} });
    await stage.routeToPublic(subnets[0] ?? '');
    await stage.quietly('POST', '/floatingips', { floatingip: { floating_network_id, port_id: port } });
    const other = idIn(await stage.quietly('POST', '/floatingips', { floatingip: { floating_network_id } }));
    await stage.put(`/floatingips/${other}`, { floatingip: { port_id: port } });
    const revision = { headers: { 'if-match': 'revision_number=7' } };
    await stage.put(`/floatingips/${other}`, { floatingip: { description: 'x' } }, revision);
    await stage.put(`/floatingips/${other}`, { floatingip: { bogus: 1 } });
    await stage.put(`/floatingips/${other}`, { floatingip: { floating_network_id } });
    await stage.put(`/floatingips/${NOWHERE}`, { floatingip: { port_id: null } });
    await stage.get('/floatingips?bogus=1');
    await stage.get(`/floatingips/${other}`, { as: 'other' });
  },
};

const moving: Scene = {
  name: 'floating IPs: from one port to another',
  async play(stage) {
    const { id: network_id, subnets } = await stage.network('moving', '10.8.2.0/24');
    const floating_network_id = await stage.routeToPublic(subnets[0] ?? '');
    const one = idIn(await stage.quietly('POST', '/ports', { port: { network_id, name: 'one' } }));
    const two = idIn(await stage.quietly('POST', '/ports', { port: { network_id, name: 'two' } }));
    const floating = { floating_network_id, port_id: one };
    const made = idIn(await stage.quietly('POST', '/floatingips', { floatingip: floating }));
    // Neutron moves it without a question: who does not look first takes it from another.
    await stage.put(`/floatingips/${made}`, { floatingip: { port_id: two } });
    await stage.get(`/floatingips?port_id=${one}`);
  },
};

export const floatingIpScenes: readonly Scene[] = [life, mistakes, moving];
