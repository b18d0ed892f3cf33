import { type JsonObject, listOf, objectOf, textOf, valueAt } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import type { Stage } from '../stage.ts';
import { idIn, NOWHERE } from './ports.ts';

const POOL = { name: 'pool', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' };
const MONITOR = { type: 'TCP', delay: 5, timeout: 3, max_retries: 2 };
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

/** The id of what has this name among what an answer holds. */
function namedIn(answer: JsonObject, kind: string, name: string): string {
  const items = listOf(valueAt(Object.values(answer)[0], kind)).map(objectOf);
  return textOf(items.find((item) => item['name'] === name)?.['id']);
}

const life: Scene = {
  name: 'load balancers: from creation to deletion',
  async play(stage) {
    const { subnets } = await stage.network('balanced', '10.9.0.0/24', 'fd09::/64');
    const [vip_subnet_id = '', second = ''] = subnets;
    const member = (last: number) => ({
      address: `10.9.0.${last}`,
      protocol_port: 8080,
      name: `m${last}`,
      subnet_id: vip_subnet_id,
    });
    const made = await stage.post('/lbaas/loadbalancers', {
      loadbalancer: {
        name: 'ns/web',
        description: 'ours',
        vip_subnet_id,
        vip_address: '10.9.0.77',
        additional_vips: [{ subnet_id: second, ip_address: 'fd09::77' }],
        tags: ['a', 'b=c'],
        listeners: [
          {
            name: 'tcp',
            protocol: 'TCP',
            protocol_port: 80,
            default_pool: { ...POOL, name: 'tcp', members: [member(10), member(11)], healthmonitor: MONITOR },
          },
          { name: 'udp', protocol: 'UDP', protocol_port: 80, default_pool: { name: 'udp' } },
        ],
        pools: [
          {
            name: 'udp',
            protocol: 'UDP',
            lb_algorithm: 'SOURCE_IP',
            session_persistence: { type: 'SOURCE_IP', persistence_timeout: 100 },
          },
        ],
      },
    });
    const id = idIn(made);
    const path = `/lbaas/loadbalancers/${id}`;
    const pool = namedIn(made, 'pools', 'tcp');
    // Octavia is at it for seconds.
    await stage.put(path, { loadbalancer: { name: 'x' } });
    await stage.delete(`${path}?cascade=true`);
    await stage.put(`/lbaas/listeners/${namedIn(made, 'listeners', 'tcp')}`, { listener: { name: 'x' } });
    await stage.put(`/lbaas/pools/${pool}/members`, { members: [] });
    await stage.post('/lbaas/pools', { pool: { ...POOL, loadbalancer_id: id } });
    await stage.settled(id);
    await stage.get(path);
    await stage.get(`${path}/status`);
    await stage.get(`/lbaas/listeners?loadbalancer_id=${id}`);
    await stage.get(`/lbaas/pools?loadbalancer_id=${id}`);
    await stage.get(`/lbaas/pools/${pool}/members`);
    await stage.get(`/lbaas/pools/${pool}/members?name=m10`);
    await stage.get(`/lbaas/healthmonitors?pool_id=${pool}`);
    await stage.get('/lbaas/loadbalancers?tags=a,b%3Dc&fields=name');
    await stage.get('/lbaas/loadbalancers?tags=a,x');
    await stage.get('/lbaas/loadbalancers?tags-any=a,x&fields=name');
    await stage.get('/lbaas/loadbalancers?name=ns%2Fweb&limit=1000&sort_key=id&sort_dir=asc&fields=name');
    const port = textOf(valueAt(made, 'loadbalancer', 'vip_port_id'));
    await stage.get(`/lbaas/loadbalancers?vip_port_id=${port}&fields=name`);
    const shown = ['name', 'device_owner', 'device_id', 'admin_state_up', 'fixed_ips', 'project_id'];
    await stage.get(`/ports/${port}?${shown.map((field) => `fields=${field}`).join('&')}`);
    await stage.get(path, { as: 'other' });
    await stage.delete(`${path}?cascade=true`, { as: 'other' });
    await stage.get('/lbaas/loadbalancers', { as: 'other' });
    await stage.put(path, { loadbalancer: { tags: ['z'], name: 'ns/renamed', description: '' } });
    await stage.settled(id);
    await stage.put(path, { loadbalancer: { vip_address: '10.9.0.78' } });
    await stage.delete(path);
    await stage.delete(`${path}?cascade=true`);
    await stage.get(`${path}?fields=provisioning_status`);
    await stage.delete(`${path}?cascade=true`);
    await stage.gone(id);
    await stage.get(path);
    await stage.get(`${path}/status`);
    await stage.delete(`${path}?cascade=true`);
    await stage.get(`/lbaas/pools/${pool}`);
    await stage.get(`/ports/${port}`);
  },
};

/** What is shown of members. */
const MEMBER_FIELDS = [
  'id',
  'name',
  'address',
  'weight',
  'subnet_id',
  'provisioning_status',
  'operating_status',
  'tags',
];

const parts: Scene = {
  name: 'load balancers: their parts',
  async play(stage) {
    const { id: network_id, subnets } = await stage.network('parts', '10.9.1.0/24');
    const [subnet_id = ''] = subnets;
    const fixed_ips = [{ subnet_id, ip_address: '10.9.1.77' }];
    const vip_port_id = idIn(await stage.quietly('POST', '/ports', { port: { network_id, name: 'own', fixed_ips } }));
    const made = await stage.quietly('POST', '/lbaas/loadbalancers', { loadbalancer: { name: 'parts', vip_port_id } });
    const id = idIn(made);
    await stage.settled(id);
    const settledAfter = async (answer: Promise<JsonObject>) => {
      const body = await answer;
      await stage.settled(id);
      return idIn(body);
    };
    const listen = (fields: JsonObject) =>
      stage.post('/lbaas/listeners', { listener: { loadbalancer_id: id, protocol_port: 80, ...fields } });
    const listener = await settledAfter(
      listen({ name: 'tcp', protocol: 'TCP', allowed_cidrs: ['10.0.0.0/8'], tags: ['x'] }),
    );
    await listen({ name: 'twin', protocol: 'HTTP' });
    await listen({ name: 'other', protocol: 'TCP', protocol_port: 81, allowed_cidrs: ['fd00::/8'] });
    const poolOf = (fields: JsonObject) => stage.post('/lbaas/pools', { pool: { ...POOL, ...fields } });
    await poolOf({ listener_id: listener, protocol: 'UDP' });
    const pool = await settledAfter(poolOf({ listener_id: listener, session_persistence: { type: 'SOURCE_IP' } }));
    await poolOf({ listener_id: listener });
    await settledAfter(
      stage.put(`/lbaas/pools/${pool}`, { pool: { session_persistence: null, lb_algorithm: 'LEAST_CONNECTIONS' } }),
    );
    await membersOf(stage, { id, pool, subnet_id });
    const monitor = await settledAfter(
      stage.post('/lbaas/healthmonitors', { healthmonitor: { ...MONITOR, pool_id: pool } }),
    );
    await stage.post('/lbaas/healthmonitors', { healthmonitor: { ...MONITOR, pool_id: pool } });
    await settledAfter(stage.put(`/lbaas/healthmonitors/${monitor}`, { healthmonitor: { delay: 9 } }));
    await settledAfter(
      stage.put(`/lbaas/listeners/${listener}`, { listener: { allowed_cidrs: [], timeout_client_data: 1 } }),
    );
    await stage.put(`/lbaas/listeners/${listener}`, { listener: { protocol_port: 81 } });
    await stage.delete(`/lbaas/listeners/${listener}`);
    await stage.settled(id);
    await stage.get(`/lbaas/listeners/${listener}`);
    await stage.get(`/lbaas/pools/${pool}?fields=listeners&fields=provisioning_status`);
    await stage.delete(`/lbaas/pools/${pool}`);
    await stage.settled(id);
    await stage.get(`/lbaas/pools/${pool}/members`);
    await stage.get(`/lbaas/healthmonitors/${monitor}`);
    await stage.delete(`/lbaas/loadbalancers/${id}`);
    await stage.gone(id);
    await stage.get(`/ports/${vip_port_id}?fields=name&fields=security_groups&fields=device_owner`);
  },
};

async function membersOf(
  stage: Stage,
  { id, pool, subnet_id }: { readonly id: string; readonly pool: string; readonly subnet_id: string },
): Promise<void> {
  const path = `/lbaas/pools/${pool}/members`;
  const member = (last: number, fields: JsonObject = {}) => ({
    address: `10.9.1.${last}`,
    protocol_port: 80,
    ...fields,
  });
  const batch = (members: readonly JsonObject[], query = '') => stage.put(`${path}${query}`, { members });
  const list = () => stage.get(`${path}?${MEMBER_FIELDS.map((field) => `fields=${field}`).join('&')}`);
  await batch([member(10, { subnet_id, name: 'a', weight: 5, tags: ['t'] }), member(11)]);
  await list();
  await batch([]);
  await stage.settled(id);
  await list();
  // Who stays keeps name, tags and subnet, and loses the weight.
  await batch([member(10), member(12)]);
  await list();
  await stage.settled(id);
  await batch([member(13)], '?additive_only=true');
  await stage.settled(id);
  await list();
  await batch([member(10), member(10)]);
  await batch([member(20), member(20)]);
  await batch([member(20, { subnet_id: NOWHERE })]);
  await batch([{ address: '169.254.169.254', protocol_port: 80 }]);
  await batch([{ address: 'nonsense', protocol_port: 80 }]);
  await batch([{ address: '10.9.1.10' }]);
  const one = idIn(await stage.post(path, { member: member(30) }));
  await stage.settled(id);
  await stage.post(path, { member: member(30) });
  await stage.put(`${path}/${one}`, { member: { weight: 7 } });
  await stage.settled(id);
  await stage.delete(`${path}/${one}`);
  await stage.settled(id);
  await stage.get(`${path}/${one}`);
  await batch([]);
  await stage.settled(id);
  // Nothing to do: the load balancer is not even PENDING.
  await batch([]);
  await stage.get(`/lbaas/loadbalancers/${id}?fields=provisioning_status`);
  await batch([member(10)]);
  await stage.settled(id);
}

const mistakes: Scene = {
  name: 'load balancers: mistakes',
  async play(stage) {
    const { id: network_id, subnets } = await stage.network('mistaken', '10.9.2.0/24', 'fd92::/64');
    const [vip_subnet_id = ''] = subnets;
    const { subnets: elsewhere } = await stage.network('elsewhere', '10.9.3.0/24');
    const fixed_ips = [{ subnet_id: vip_subnet_id, ip_address: '10.9.2.50' }];
    await stage.quietly('POST', '/ports', { port: { network_id, fixed_ips } });
    const post = (fields: JsonObject) => stage.post('/lbaas/loadbalancers', { loadbalancer: { name: 'x', ...fields } });
    const onSubnet = (fields: JsonObject) => post({ vip_subnet_id, ...fields });
    await post({});
    await post({ vip_subnet_id: NOWHERE });
    await post({ vip_network_id: NOWHERE });
    await post({ vip_port_id: NOWHERE });
    await post({ vip_subnet_id: 'nonsense' });
    await post({ vip_network_id: network_id, vip_address: '10.99.0.1' });
    await onSubnet({ vip_address: '10.9.2.50' });
    await onSubnet({ vip_address: '10.99.0.1' });
    await onSubnet({ vip_address: 'nonsense' });
    await onSubnet({ provider: 'bogus' });
    await onSubnet({ flavor_id: UNKNOWN });
    await onSubnet({ availability_zone: 'nowhere' });
    await onSubnet({ description: 'x'.repeat(256) });
    await onSubnet({ bogus: 1 });
    await onSubnet({ additional_vips: [{ subnet_id: vip_subnet_id }] });
    await onSubnet({ additional_vips: [{ subnet_id: elsewhere[0] ?? '' }] });
    await stage.post('/lbaas/loadbalancers', '{');
    await stage.get('/lbaas/nothing');
    await stage.call('PATCH', '/lbaas/loadbalancers');
    await stage.get('/lbaas/loadbalancers?bogus=1');
    await stage.get('/lbaas/loadbalancers?limit=x');
    await stage.get(`/lbaas/loadbalancers?limit=1&marker=${NOWHERE}`);
    for (const kind of ['loadbalancers', 'listeners', 'pools', 'healthmonitors', 'flavors']) {
      await stage.get(`/lbaas/${kind}/${NOWHERE}`);
    }
    await stage.delete(`/lbaas/pools/${NOWHERE}`);
    await stage.put(`/lbaas/pools/${NOWHERE}/members`, { members: [] });
    await stage.put(`/lbaas/listeners/${NOWHERE}`, { listener: { name: 'x' } });
    const listener = { protocol: 'TCP', protocol_port: 80, loadbalancer_id: NOWHERE };
    await stage.post('/lbaas/listeners', { listener });
    await stage.post('/lbaas/pools', { pool: { ...POOL, loadbalancer_id: NOWHERE } });
    await stage.post('/lbaas/pools', { pool: POOL });
    await stage.post('/lbaas/healthmonitors', { healthmonitor: { ...MONITOR, pool_id: NOWHERE } });
    await stage.get('/lbaas/providers');
    await stage.get('/lbaas/providers/amphora/flavor_capabilities');
  },
};

/** What is refused when the VIP has its port already, which then stays. */
const leftovers: Scene = {
  name: 'load balancers: refused too late',
  async play(stage) {
    const { id: network_id, subnets } = await stage.network('late', '10.9.4.0/24');
    const [vip_subnet_id = ''] = subnets;
    const refused = async (fields: JsonObject) => {
      await stage.post('/lbaas/loadbalancers', {
        loadbalancer: { name: 'x', vip_subnet_id, vip_address: '10.9.4.9', ...fields },
      });
      const ports = await stage.quietly('GET', `/ports?network_id=${network_id}`);
      for (const port of listOf(ports['ports'])) {
        const { name, device_owner = null } = objectOf(port);
        stage.note({
          request: 'what is left',
          status: 0,
          body: { device_owner, isNamed: textOf(name).startsWith('octavia-lb-') },
        });
        await stage.quietly('DELETE', `/ports/${textOf(valueAt(port, 'id'))}`);
      }
    };
    const listener = { name: 'tcp', protocol: 'TCP', protocol_port: 80 };
    await refused({ listeners: [{ ...listener, default_pool: { protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' } }] });
    await refused({ listeners: [{ ...listener, default_pool: { name: 'nowhere' } }] });
    await refused({ pools: [POOL, POOL] });
    await refused({ pools: [{ name: 'pool', protocol: 'TCP', description: 'x', members: [] }] });
    await refused({ listeners: [listener, { ...listener, name: 'twin' }] });
    await refused({ listeners: [{ ...listener, protocol: 'UDP', default_pool: POOL }] });
    await refused({ listeners: [{ ...listener, allowed_cidrs: ['fd00::/8'] }] });
    await refused({ listeners: [{ ...listener, protocol: 'TERMINATED_HTTPS' }] });
    await refused({ pools: [{ ...POOL, members: [{ address: '169.254.169.254', protocol_port: 80 }] }] });
    await refused({ pools: [{ ...POOL, healthmonitor: { ...MONITOR, type: 'UDP-CONNECT' } }] });
    const project = await stage.projectOf('demo');
    const quota = (limits: JsonObject) => stage.put(`/lbaas/quotas/${project}`, { quota: limits }, { as: 'admin' });
    await stage.get(`/lbaas/quotas/${project}`);
    await stage.put(`/lbaas/quotas/${project}`, { quota: { load_balancer: 0 } });
    await quota({ load_balancer: 0 });
    await refused({});
    await quota({ load_balancer: -1, pool: 0 });
    await refused({ pools: [POOL] });
    await quota({ pool: -1, member: 0 });
    await refused({ pools: [{ ...POOL, members: [{ address: '10.9.4.10', protocol_port: 80 }] }] });
  },
};

export const loadBalancerScenes: readonly Scene[] = [life, parts, mistakes, leftovers];
