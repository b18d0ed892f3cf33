import { type JsonObject, listOf, textOf, valueAt } from '../../../json.ts';
import type { Scene } from '../scene.ts';

export const NOWHERE = '00000000-0000-0000-0000-000000000000';
export const idIn = (answer: JsonObject): string => textOf(valueAt(Object.values(answer)[0], 'id'));

const life: Scene = {
  name: 'ports: from creation to deletion',
  async play(stage) {
    const { id: network_id, subnets } = await stage.network('life', '10.7.0.0/24', 'fd07::/64');
    const [v4 = ''] = subnets;
    // The chosen address first: Neutron draws the others by lot.
    const chosen = { network_id, fixed_ips: [{ subnet_id: v4, ip_address: '10.7.0.77' }], device_owner: 'fairlead' };
    const first = idIn(await stage.post('/ports', { port: chosen }));
    const port = idIn(await stage.post('/ports', { port: { network_id, name: 'web', description: 'ours' } }));
    await stage.get(`/ports/${port}`);
    await stage.get(`/ports?network_id=${network_id}`);
    await stage.get(`/ports?network_id=${network_id}&name=web&fields=id&fields=name`);
    await stage.get(`/ports?network_id=${network_id}&fixed_ips=ip_address%3D10.7.0.77&fields=device_owner`);
    await stage.get(`/ports?id=${port}&id=${NOWHERE}&fields=id`);
    await stage.put(`/ports/${port}`, { port: { name: 'web', description: 'theirs' } });
    await stage.put(`/ports/${port}`, { port: { name: 'web' } });
    await stage.put(`/ports/${port}`, { port: { security_groups: [] } });
    // The refusal names the ports that are left in any order: one, then.
    await stage.delete(`/ports/${first}`);
    await stage.delete(`/networks/${network_id}`);
    await stage.delete(`/ports/${port}`);
    await stage.delete(`/ports/${port}`);
    await stage.get(`/ports/${port}`);
    await stage.put(`/ports/${port}`, { port: { name: 'x' } });
  },
};

const mistakes: Scene = {
  name: 'ports: mistakes',
  async play(stage) {
    const { id: network_id, subnets } = await stage.network('mistakes', '10.7.1.0/24');
    const [subnet_id = ''] = subnets;
    const post = (port: JsonObject) => stage.post('/ports', { port });
    const taken = { network_id, fixed_ips: [{ subnet_id, ip_address: '10.7.1.50' }] };
    await stage.quietly('POST', '/ports', { port: taken });
    await post(taken);
    await post({ network_id, fixed_ips: [{ ip_address: '172.16.0.1' }] });
    await post({ network_id, fixed_ips: [{ subnet_id: NOWHERE }] });
    await post({ network_id: NOWHERE });
    await post({ network_id, bogus: 1 });
    await post({ network_id, revision_number: 1 });
    await post({ network_id, security_groups: [NOWHERE] });
    await post({ network_id, description: 'x'.repeat(256) });
    await post({});
    await post({ network_id: await stage.publicNetwork() });
    await stage.post('/ports', { ports: [] });
    await stage.post('/ports', '{');
    await stage.call('PATCH', '/ports');
    await stage.get('/nothing');
    await stage.get('/ports?bogus=1');
    await stage.get('/ports?limit=x');
    await stage.get('/ports?limit=1&sort_key=id');
    await stage.get(`/ports?limit=1&marker=${NOWHERE}`);
    const port = idIn(await stage.quietly('POST', '/ports', { port: { network_id } }));
    await stage.put(`/ports/${port}`, { port: { network_id } });
    await stage.put(`/ports/${port}`, { port: { tags: ['a'] } });
    await stage.put(`/ports/${port}`, { port: { bogus: 1 } });
  },
};

const tags: Scene = {
  name: 'ports: tags',
  async play(stage) {
    const { id: network_id } = await stage.network('tags', '10.7.2.0/24');
    const named = `/ports?network_id=${network_id}&fields=name`;
    const port = idIn(await stage.post('/ports', { port: { network_id, name: 'one', tags: ['a', 'b=c'] } }));
    await stage.quietly('POST', '/ports', { port: { network_id, name: 'two' } });
    await stage.put(`/ports/${port}/tags`, { tags: ['b=c', 'a'] });
    await stage.put(`/ports/${port}/tags`, { tags: ['b=c', 'a'] });
    await stage.get(`/ports/${port}`);
    await stage.get(`${named}&tags=a,b%3Dc`);
    await stage.get(`${named}&tags=a,x`);
    await stage.get(`${named}&tags-any=a,x`);
    await stage.get(`${named}&not-tags=a`);
    await stage.get(`${named}&not-tags-any=x,a`);
    await stage.put(`/ports/${port}/tags/x`, {});
    await stage.put(`/ports/${port}/tags/x`, {});
    await stage.call('PUT', `/ports/${port}/tags/x%2Fy`);
    await stage.delete(`/ports/${port}/tags/x`);
    await stage.delete(`/ports/${port}/tags/x`);
    await stage.get(`/ports/${port}/tags`);
    await stage.put(`/ports/${port}/tags`, { tags: ['a', 'a'] });
    await stage.put(`/ports/${port}/tags`, { tags: ['x'.repeat(256)] });
    await stage.put(`/ports/${port}/tags`, {});
    await stage.put(`/ports/${NOWHERE}/tags`, { tags: ['a'] });
    await stage.put(`/ports/${port}/tags`, { tags: [] });
    await stage.get(`/ports/${port}`);
  },
};

const revisions: Scene = {
  name: 'ports: revisions',
  async play(stage) {
    const { id: network_id } = await stage.network('revisions', '10.7.3.0/24');
    const port = idIn(await stage.quietly('POST', '/ports', { port: { network_id } }));
    const change = (name: string, condition: string) =>
      stage.put(`/ports/${port}`, { port: { name } }, { headers: { 'if-match': condition } });
    await change('one', 'revision_number=1');
    await change('two', 'revision_number=1');
    await change('two', 'revision_number=99');
    await change('two', 'something else');
    await stage.delete(`/ports/${port}`, { headers: { 'if-match': 'revision_number=1' } });
  },
};

const addressPairs: Scene = {
  name: 'ports: allowed address pairs',
  async play(stage) {
    const { id: network_id } = await stage.network('pairs', '10.7.4.0/24');
    const port = idIn(await stage.quietly('POST', '/ports', { port: { network_id } }));
    const set = (...pairs: readonly JsonObject[]) =>
      stage.put(`/ports/${port}`, { port: { allowed_address_pairs: pairs } });
    const mac_address = 'aa:bb:cc:00:00:01';
    await set({ ip_address: '10.99.4.200' }, { ip_address: '10.99.4.0/28', mac_address });
    await stage.get(`/ports/${port}`);
    await set({ ip_address: 'FD00::5' });
    await set({ ip_address: 'nope' });
    await set({ ip_address: '10.99.4.1' }, { ip_address: '10.99.4.1' });
    await set(...Array.from({ length: 11 }, (_, index) => ({ ip_address: `10.99.4.${index + 10}` })));
    await set();
  },
};

const exhausted: Scene = {
  name: 'ports: a network without room',
  async play(stage) {
    const { id: network_id } = await stage.network('small', '10.7.5.0/30');
    await stage.quietly('POST', '/ports', { port: { network_id } });
    await stage.post('/ports', { port: { network_id } });
  },
};

const quota: Scene = {
  name: 'ports: quota',
  async play(stage) {
    const { id: network_id } = await stage.network('quota', '10.7.6.0/24');
    const listed = await stage.quietly('GET', '/networks?name=quota');
    const project = textOf(valueAt(listOf(listed['networks'])[0], 'project_id'));
    const ports = listOf((await stage.quietly('GET', '/ports?fields=id'))['ports']).length;
    const floatingIps = listOf((await stage.quietly('GET', '/floatingips?fields=id'))['floatingips']).length;
    await stage.put(`/quotas/${project}`, { quota: { port: 1 } });
    const limits = { quota: { port: ports + 1, floatingip: floatingIps } };
    await stage.quietly('PUT', `/quotas/${project}`, limits, { as: 'admin' });
    await stage.quietly('POST', '/ports', { port: { network_id } });
    await stage.post('/ports', { port: { network_id } });
    await stage.post('/floatingips', { floatingip: { floating_network_id: await stage.publicNetwork() } });
  },
};

const pages: Scene = {
  name: 'ports: pages',
  async play(stage) {
    const { id: network_id } = await stage.network('pages', '10.7.7.0/24');
    const made = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      made.add(idIn(await stage.quietly('POST', '/ports', { port: { network_id } })));
    }
    const seen = new Set<string>();
    for (let marker = ''; ; ) {
      const query = `network_id=${network_id}&fields=id&limit=2&sort_key=id&sort_dir=asc`;
      const page = await stage.quietly('GET', `/ports?${query}${marker === '' ? '' : `&marker=${marker}`}`);
      const ids = listOf(page['ports']).map((port) => textOf(valueAt(port, 'id')));
      const links = listOf(page['ports_links']).map((link) => textOf(valueAt(link, 'rel')));
      const isOrdered = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ''));
      stage.note({ request: 'a page', status: 200, body: { items: ids.length, links, isOrdered } });
      for (const id of ids) seen.add(id);
      marker = ids.at(-1) ?? '';
      if (!links.includes('next')) break;
    }
    stage.note({
      request: 'all pages',
      status: 200,
      body: { isComplete: seen.size === made.size && [...made].every((id) => seen.has(id)) },
    });
  },
};

const projects: Scene = {
  name: 'ports: of another project',
  async play(stage) {
    const { id: network_id } = await stage.network('mine', '10.7.8.0/24');
    const port = idIn(await stage.quietly('POST', '/ports', { port: { network_id } }));
    const as = 'other';
    await stage.get(`/ports?network_id=${network_id}`, { as });
    await stage.get(`/ports/${port}`, { as });
    await stage.put(`/ports/${port}`, { port: { name: 'x' } }, { as });
    await stage.put(`/ports/${port}/tags`, { tags: ['x'] }, { as });
    await stage.delete(`/ports/${port}`, { as });
    await stage.post('/ports', { port: { network_id } }, { as });
    await stage.get(`/networks/${network_id}`, { as });
    await stage.get('/networks?name=public&fields=name&fields=router:external', { as });
    await stage.get('/security-groups?name=default&fields=name&fields=description', { as });
  },
};

export const portScenes: readonly Scene[] = [
  life,
  mistakes,
  tags,
  revisions,
  addressPairs,
  exhausted,
  quota,
  pages,
  projects,
];
