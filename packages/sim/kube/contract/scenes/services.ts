import type { Json } from '../../../json.ts';
import type { Scene } from '../scene.ts';
import type { Stage } from '../stage.ts';
import { core } from './paths.ts';

function create(stage: Stage, name: string, spec: Json, query = '') {
  return stage.post(`${core(stage, 'services')}${query}`, { metadata: { name }, spec });
}

const port = { port: 80 };

const defaults: Scene = {
  name: 'services: what is filled in',
  async play(stage) {
    await create(stage, 'plain', { selector: { app: 'web' }, ports: [port] });
    await create(stage, 'node', { type: 'NodePort', ports: [{ port: 80, targetPort: 'http', protocol: 'UDP' }] });
    await create(stage, 'balanced', { type: 'LoadBalancer', ports: [port] });
    await create(stage, 'local', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [port] });
    await create(stage, 'no-ports', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [port] });
    await create(stage, 'named', { type: 'ExternalName', externalName: 'example.test.' });
    await create(stage, 'headless', { clusterIP: 'None', selector: { app: 'web' }, ports: [port] });
    await create(stage, 'headless-free', { clusterIP: 'None', ports: [port] });
    await create(stage, 'headless-no-ports', { clusterIP: 'None', selector: { app: 'web' } });
    await create(stage, 'sticky', { sessionAffinity: 'ClientIP', ports: [port] });
    await create(stage, 'outside', { externalIPs: ['192.0.2.7'], ports: [port] });
    await create(stage, 'class', { type: 'LoadBalancer', loadBalancerClass: 'example.test/x', ports: [port] });
    await create(stage, 'ranges', {
      type: 'LoadBalancer',
      loadBalancerSourceRanges: ['192.0.2.0/24', ' 2001:db8::/32'],
      ports: [port],
    });
    await create(stage, 'both-protocols', {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 53, protocol: 'UDP' },
        { name: 'b', port: 53, protocol: 'TCP' },
        { name: 'c', port: 54 },
      ],
    });
    await create(stage, 'empty-fields', {
      selector: {},
      ports: [{ port: 80, nodePort: 0, name: '' }],
      externalIPs: [],
    });
    await create(stage, 'dry', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [port] }, '?dryRun=All');
    await stage.get(`${core(stage, 'services')}/dry`);
  },
};

const families: Scene = {
  name: 'services: address families',
  async play(stage) {
    await create(stage, 'prefer', { ipFamilyPolicy: 'PreferDualStack', ports: [port] });
    await create(stage, 'require', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'], ports: [port] });
    await create(stage, 'six', { ipFamilies: ['IPv6'], ports: [port] });
    await create(stage, 'contradiction', {
      ipFamilyPolicy: 'SingleStack',
      ipFamilies: ['IPv6', 'IPv4'],
      ports: [port],
    });
    await create(stage, 'bogus', { ipFamilyPolicy: 'Bogus', ipFamilies: ['IPv5', 'IPv4', 'IPv4'], ports: [port] });
    await create(stage, 'headless', { clusterIP: 'None', ipFamilyPolicy: 'SingleStack', ports: [port] });
    const path = `${core(stage, 'services')}/upgraded`;
    await create(stage, 'upgraded', { ports: [port] });
    await stage.mergePatch(path, { spec: { ipFamilyPolicy: 'PreferDualStack' } });
    await stage.mergePatch(path, { spec: { ipFamilies: ['IPv6', 'IPv4'] } });
    await stage.mergePatch(path, { spec: { ipFamilies: ['IPv4'] } });
    await stage.mergePatch(path, { spec: { ipFamilyPolicy: 'SingleStack' } });
    await stage.mergePatch(path, { spec: { ipFamilies: ['IPv4', 'IPv6'] } });
    await stage.mergePatch(path, { spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] } });
    await stage.mergePatch(path, { spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: null, clusterIPs: null } });
  },
};

const mistakes: Scene = {
  name: 'services: mistakes',
  async play(stage) {
    await create(stage, 'none', {});
    await create(stage, 'bad-class', { loadBalancerClass: 'x', ports: [port] });
    await create(stage, 'twice', { ports: [port, port] });
    await create(stage, 'same-name', {
      ports: [
        { port: 80, name: 'a' },
        { port: 81, name: 'a' },
      ],
    });
    await create(stage, 'numbers', { ports: [{ port: 0 }, { port: 70_000, name: 'B_', targetPort: -1 }] });
    await create(stage, 'target', { ports: [{ port: 80, targetPort: 'Too--Long-port-name-' }] });
    await create(stage, 'protocol', { ports: [{ port: 80, protocol: 'tcp', appProtocol: 'a b' }] });
    await create(stage, 'type', { type: 'Bogus', ports: [port] });
    await create(stage, 'node-port', { ports: [{ port: 80, nodePort: 30_001 }] });
    await create(stage, 'out-of-range', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] });
    await create(stage, 'affinity', { sessionAffinity: 'Sometimes', ports: [port] });
    await create(stage, 'affinity-time', {
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 90_000 } },
      ports: [port],
    });
    await create(stage, 'selector', { selector: { 'bad key': '-bad value' }, ports: [port] });
    await create(stage, 'external-ips', {
      externalIPs: ['127.0.0.1', 'bogus', '010.0.0.1', '169.254.1.1'],
      ports: [port],
    });
    await create(stage, 'external-name', { type: 'ExternalName', externalName: 'UPPER' });
    await create(stage, 'no-external-name', { type: 'ExternalName', clusterIP: 'None' });
    await create(stage, 'policies', {
      externalTrafficPolicy: 'Local',
      internalTrafficPolicy: 'Some',
      trafficDistribution: 'Far',
      healthCheckNodePort: 30_010,
      ports: [port],
    });
    await create(stage, 'ranges', {
      type: 'LoadBalancer',
      loadBalancerSourceRanges: ['192.0.2.1', '10.0.0.1/8', '192.0.2.0/40'],
      ports: [port],
    });
    await create(stage, 'ranges-type', { loadBalancerSourceRanges: ['192.0.2.0/24'], ports: [port] });
    await create(stage, 'allocate', { allocateLoadBalancerNodePorts: true, ports: [port] });
    await create(stage, 'headless-balancer', { type: 'LoadBalancer', clusterIP: 'None', ports: [port] });
    await create(stage, 'cluster-ips', { clusterIPs: ['10.96.0.9'], ports: [port] });
    await create(stage, 'wrong-range', { clusterIP: '192.0.2.1', ports: [port] });
    await create(stage, 'not-an-ip', { clusterIP: 'bogus', ports: [port] });
    await create(stage, 'taken', { clusterIP: '10.96.0.1', ports: [port] });
    await create(stage, 'UPPER', { ports: [port] });
    await create(stage, 'a'.repeat(64), { ports: [port] });
  },
};

const updates: Scene = {
  name: 'services: updates',
  async play(stage) {
    const path = `${core(stage, 'services')}/a`;
    const plain = { metadata: { name: 'a' }, spec: { selector: { app: 'web' }, ports: [port] } };
    await stage.put(path, plain);
    await stage.put(path, plain);
    await stage.put(path, { metadata: { name: 'a' }, spec: { ports: [{ port: 81, name: 'x' }] } });
    await stage.mergePatch(path, { spec: { type: 'NodePort' } });
    await stage.put(path, { metadata: { name: 'a' }, spec: { type: 'NodePort', ports: [{ port: 82, name: 'x' }] } });
    await stage.mergePatch(path, { spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local' } });
    await stage.mergePatch(path, { spec: { loadBalancerClass: 'example.test/late' } });
    await stage.mergePatch(path, { spec: { healthCheckNodePort: 30_011 } });
    await stage.mergePatch(`${path}/status`, {
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'lb.example.test' }] } },
    });
    await stage.mergePatch(`${path}/status`, { status: { loadBalancer: { ingress: [{ ip: 'x', ipMode: 'Bad' }] } } });
    await stage.mergePatch(`${path}/status`, {
      status: { loadBalancer: { ingress: [{ hostname: '192.0.2.1', ipMode: 'VIP' }] } },
    });
    await stage.mergePatch(`${path}/status`, {
      metadata: { labels: { from: 'status' } },
      spec: { type: 'ClusterIP' },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: null }] },
    });
    await stage.mergePatch(path, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.2' }] } } });
    await stage.mergePatch(path, { spec: { type: 'ClusterIP' } });
    await stage.mergePatch(`${path}/status`, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } });
    await stage.mergePatch(path, { spec: { clusterIP: '10.96.7.7', clusterIPs: ['10.96.7.7'] } });
    await stage.mergePatch(path, { spec: { clusterIP: 'None' } });
    await stage.mergePatch(path, { spec: { type: 'ExternalName', externalName: 'example.test' } });
    await stage.mergePatch(path, { spec: { type: 'ClusterIP', externalName: null } });
    await stage.put(`${core(stage, 'services')}/put`, { metadata: { name: 'put' }, spec: { ports: [port] } });
    await stage.delete(path);
    await stage.delete(path);
  },
};

const classes: Scene = {
  name: 'services: the class of a load balancer',
  async play(stage) {
    const path = `${core(stage, 'services')}/a`;
    await create(stage, 'a', { type: 'LoadBalancer', loadBalancerClass: 'example.test/one', ports: [port] });
    await stage.mergePatch(path, { spec: { loadBalancerClass: 'example.test/two' } });
    await stage.mergePatch(path, { spec: { loadBalancerClass: null } });
    await stage.mergePatch(path, { spec: { type: 'ClusterIP', loadBalancerClass: 'example.test/two' } });
    await stage.mergePatch(path, { spec: { type: 'ClusterIP' } });
    await stage.mergePatch(path, { spec: { type: 'LoadBalancer', loadBalancerClass: 'example.test/two' } });
    await stage.mergePatch(path, { spec: { allocateLoadBalancerNodePorts: false } });
    await stage.mergePatch(path, { spec: { ports: [{ port: 80 }] } });
    await stage.strategicPatch(path, {
      spec: {
        ports: [
          { port: 443, name: 'tls' },
          { port: 80, name: 'plain' },
        ],
      },
    });
    await stage.strategicPatch(path, { spec: { ports: [{ port: 443, $patch: 'delete' }] } });
  },
};

export const serviceScenes: readonly Scene[] = [defaults, families, mistakes, updates, classes];
