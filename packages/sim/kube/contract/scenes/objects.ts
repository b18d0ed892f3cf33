import type { Scene } from '../scene.ts';
import { core, grouped } from './paths.ts';

const metadata: Scene = {
  name: 'objects: names, labels and other metadata',
  async play(stage) {
    const path = core(stage, 'configmaps');
    await stage.post(path, { metadata: { name: 'A_b' } });
    await stage.post(path, { metadata: {} });
    await stage.post(path, { metadata: { name: 'x'.repeat(254) } });
    await stage.post(path, { metadata: { name: 'labels', labels: { 'a/b/c': '', 'UP/x': 'y', '-x': '-z' } } });
    await stage.post(path, { metadata: { name: 'labels', labels: { ['k'.repeat(64)]: 'v'.repeat(64), '/x': '' } } });
    await stage.post(path, { metadata: { name: 'annotations', annotations: { '-x': 'anything', 'Ok/X': 'y' } } });
    await stage.post(path, {
      metadata: { name: 'finalizers', finalizers: ['foo', 'a/b', 'orphan', 'foregroundDeletion'] },
    });
    await stage.post(path, { metadata: { name: 'owners', ownerReferences: [{ name: 'x' }] } });
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
    await stage.post(path, { metadata: { name: 'owners', ownerReferences: [owner, { ...owner, uid: 'v' }] } });
    await stage.post(path, { metadata: { name: 'a', namespace: 'elsewhere' } });
    await stage.post('/api/v1/namespaces/no-such-namespace/configmaps', { metadata: { name: 'a' } });
    await stage.post(path, { metadata: { name: 'versioned', resourceVersion: '5' } });
    await stage.post(path, {
      metadata: {
        name: 'claims',
        uid: 'mine',
        generation: 7,
        creationTimestamp: '2020-01-01T00:00:00Z',
        deletionTimestamp: '2020-01-01T00:00:00Z',
        labels: {},
        annotations: { a: 'b' },
      },
    });
    await stage.post(path, { metadata: { name: 'claims' } });
    await stage.post(path, { metadata: { generateName: 'made-' }, data: { a: 'b' } });
    await stage.post('/api/v1/namespaces', { metadata: { name: 'a.b' } });
    await stage.post('/api/v1/nodes', { metadata: { name: 'n', namespace: 'x' } });
    await stage.delete('/api/v1/nodes/n');
  },
};

const bodies: Scene = {
  name: 'objects: bodies that do not fit',
  async play(stage) {
    const services = core(stage, 'services');
    const configMaps = core(stage, 'configmaps');
    await stage.post(services, '{"metadata":{"name":"l",');
    await stage.post(services, '');
    await stage.post(services, { kind: 'Service', apiVersion: 'v2', metadata: { name: 'l' } });
    await stage.post(services, { kind: 'Foo', apiVersion: 'v1', metadata: { name: 'l' } });
    await stage.post(services, { metadata: { name: 'l' }, spec: [] });
    await stage.post(services, { metadata: { name: 'l' }, spec: { ports: {} } });
    await stage.post(services, { metadata: { name: 'l' }, spec: { ports: [{ port: 'x' }] } });
    await stage.post(services, { metadata: { name: 'l' }, spec: { ports: [{ port: 1.5 }] } });
    await stage.post(services, { metadata: { name: 'l' }, spec: { ports: [{ port: 99_999_999_999 }] } });
    await stage.post(services, { metadata: { name: 'l' }, spec: { ports: [{ port: 1, targetPort: true }] } });
    await stage.post(services, { metadata: { name: 'l' }, spec: { publishNotReadyAddresses: 'x' } });
    await stage.post(services, { metadata: { name: 'l', creationTimestamp: 'bogus' } });
    await stage.post(configMaps, { metadata: { name: 'l', labels: { a: 1 } } });
    await stage.post(configMaps, { metadata: { name: 'l' }, data: { x: 2 } });
    await stage.post(configMaps, { metadata: { name: 'l' }, data: [] });
    await stage.post(configMaps, { metadata: { name: 'l' }, binaryData: { x: 'a=' } });
    await stage.post(configMaps, { metadata: { name: 'l' } }, { contentType: 'text/plain' });
    await stage.post(configMaps, 'metadata: {name: from-yaml}\ndata: {a: b}\n', { contentType: 'application/yaml' });
    await stage.get(configMaps, { accept: 'text/html' });
  },
};

const fieldValidation: Scene = {
  name: 'objects: unknown fields',
  async play(stage) {
    const path = core(stage, 'services');
    const spec = { ports: [{ port: 1, x: 2 }], bogus: { a: 1 } };
    await stage.post(`${path}?fieldValidation=Strict`, { metadata: { name: 'a', zz: 1 }, spec });
    await stage.post(`${path}?fieldValidation=Warn`, { metadata: { name: 'b' }, spec });
    await stage.post(`${path}?fieldValidation=Ignore`, { metadata: { name: 'c' }, spec });
    await stage.post(path, { metadata: { name: 'd' }, spec });
    await stage.post(`${path}?fieldValidation=Maybe`, { metadata: { name: 'e' }, spec });
    await stage.post(`${path}?dryRun=Some`, { metadata: { name: 'e' }, spec });
    await stage.post(`${path}?fieldManager=${'m'.repeat(129)}`, { metadata: { name: 'e' }, spec });
    await stage.strategicPatch(`${path}/b?fieldValidation=Strict`, { spec: { bogus: 1 } });
    await stage.mergePatch(`${path}/b`, { spec: { bogus: 1 } });
  },
};

const updates: Scene = {
  name: 'objects: updates and their conflicts',
  async play(stage) {
    const path = core(stage, 'configmaps');
    const created = await stage.post(path, { metadata: { name: 'a' }, data: { x: '1' } });
    await stage.put(`${path}/a`, { metadata: { name: 'a' }, data: { x: '2' } });
    await stage.put(`${path}/a`, { metadata: { name: 'a' }, data: { x: '2' } });
    await stage.put(`${path}/a`, created);
    await stage.put(`${path}/a`, { metadata: { name: 'b' } });
    await stage.put(`${path}/a`, { metadata: {} });
    await stage.put(`${path}/nope`, { metadata: { name: 'nope' } });
    await stage.put(`${path}/a`, { metadata: { name: 'a', generation: 9, labels: { l: 'm' } }, data: { x: '2' } });
    await stage.put(`${path}/a?dryRun=All`, { metadata: { name: 'a' }, data: { x: '3' } });
    await stage.get(`${path}/a`);
    await stage.put(`${path}/a`, { metadata: { name: 'a' }, immutable: true, data: { x: '2' } });
    await stage.put(`${path}/a`, { metadata: { name: 'a' }, data: { x: '4' } });
    await stage.put(`${path}/a`, { metadata: { name: 'a' }, data: { 'bad key': '1', '..': '2' } });
    const leases = grouped(stage, 'coordination.k8s.io/v1', 'leases');
    await stage.put(`${leases}/l`, { metadata: { name: 'l' } });
    await stage.put(`${leases}/l`, { metadata: { name: 'l' } });
  },
};

const kinds: Scene = {
  name: 'objects: leases, secrets, events, endpoints',
  async play(stage) {
    const leases = grouped(stage, 'coordination.k8s.io/v1', 'leases');
    for (const renewTime of [
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:00.123Z',
      'bogus',
      '2026-01-01T00:00:00.1234567Z',
    ]) {
      await stage.post(leases, { metadata: { name: 'bad' }, spec: { renewTime } });
    }
    await stage.post(leases, {
      metadata: { name: 'good' },
      spec: {
        renewTime: '2026-01-01T01:00:00.123456+01:00',
        holderIdentity: '',
        leaseDurationSeconds: 15,
        leaseTransitions: 0,
      },
    });
    await stage.post(leases, { metadata: { name: 'bad' }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } });
    const secrets = core(stage, 'secrets');
    await stage.post(secrets, { metadata: { name: 'plain' }, stringData: { a: 'b' }, data: { c: 'ZA==' } });
    await stage.post(secrets, { metadata: { name: 'tls' }, type: 'kubernetes.io/tls', data: {} });
    await stage.mergePatch(`${secrets}/plain`, { type: 'other' });
    const events = core(stage, 'events');
    const involvedObject = { kind: 'Service', namespace: stage.namespace, name: 's' };
    await stage.post(events, { metadata: { name: 'e1' }, involvedObject, reason: 'R', message: 'm', type: 'Normal' });
    await stage.post(events, { metadata: { name: 'e2' }, involvedObject: { ...involvedObject, namespace: 'other' } });
    await stage.post(events, { metadata: { name: 'e3' }, involvedObject, eventTime: '2026-01-01T00:00:00.000000Z' });
    const groupEvents = grouped(stage, 'events.k8s.io/v1', 'events');
    const regarding = involvedObject;
    const note = { regarding, reason: 'R', note: 'm', type: 'Normal' };
    await stage.post(groupEvents, { metadata: { name: 'e4' }, ...note });
    await stage.post(groupEvents, {
      metadata: { name: 'e5' },
      ...note,
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.test/controller',
      reportingInstance: 'one',
      action: 'Test',
    });
    await stage.get(`${events}/e5`);
    await stage.get(`${groupEvents}/e1`);
    await stage.mergePatch(`${groupEvents}/e5`, {
      series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' },
    });
    await stage.mergePatch(`${groupEvents}/e5`, { note: 'changed', series: { count: 1 } });
    await stage.get(`${events}?fieldSelector=involvedObject.name%3Ds,reason%3DR`);
    const endpoints = core(stage, 'endpoints');
    await stage.post(endpoints, {
      metadata: { name: 'a' },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
    });
    await stage.post(endpoints, {
      metadata: { name: 'b' },
      subsets: [{ addresses: [{ ip: 'x' }, { ip: '127.0.0.1' }] }, {}],
    });
    const slices = grouped(stage, 'discovery.k8s.io/v1', 'endpointslices');
    await stage.post(slices, {
      metadata: { name: 'a' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'] }],
      ports: [{}],
    });
    await stage.mergePatch(`${slices}/a`, { metadata: { labels: { x: 'y' } } });
    await stage.mergePatch(`${slices}/a`, { metadata: { annotations: { x: 'y' } } });
    await stage.mergePatch(`${slices}/a`, { endpoints: [{ addresses: ['192.0.2.2'], conditions: { ready: false } }] });
    await stage.mergePatch(`${slices}/a`, { addressType: 'IPv6' });
    await stage.post(slices, { metadata: { name: 'b' }, endpoints: [] });
    await stage.post(slices, {
      metadata: { name: 'b' },
      addressType: 'IPv6',
      endpoints: [{ addresses: ['192.0.2.1'] }, {}],
    });
  },
};

const podsAndNodes: Scene = {
  name: 'objects: pods and nodes',
  async play(stage) {
    const pods = core(stage, 'pods');
    const container = { name: 'c', image: 'example.test/web:1.0', ports: [{ containerPort: 80, name: 'http' }] };
    await stage.eventually(`${core(stage, 'serviceaccounts')}/default`, ({ kind }) => kind === 'ServiceAccount');
    await stage.post(pods, {
      metadata: { name: 'p', labels: { app: 'web' } },
      spec: {
        nodeName: 'node-1',
        containers: [
          {
            ...container,
            resources: { limits: { cpu: '0.5', memory: '1024Mi' } },
            readinessProbe: { httpGet: { port: 80 } },
          },
        ],
        volumes: [{ name: 'v' }],
      },
    });
    await stage.post(pods, {
      metadata: { name: 'q' },
      spec: { containers: [{ name: 'c' }, { name: 'c', image: 'x' }, { image: 'y' }] },
    });
    await stage.post(pods, { metadata: { name: 'q' } });
    await stage.post(pods, {
      metadata: { name: 'q' },
      spec: { serviceAccountName: 'nobody', containers: [container] },
    });
    await stage.strategicPatch(`${pods}/p/status`, {
      status: {
        phase: 'Running',
        podIP: '192.0.2.10',
        podIPs: [{ ip: '192.0.2.10' }],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
    await stage.strategicPatch(`${pods}/p/status`, {
      status: { conditions: [{ type: 'Initialized', status: 'True' }] },
    });
    await stage.strategicPatch(`${pods}/p`, { spec: { containers: [{ name: 'c', image: 'example.test/web:2.0' }] } });
    await stage.mergePatch(`${pods}/p`, { metadata: { labels: { more: 'yes' } } });
    await stage.get(`${pods}?fieldSelector=spec.nodeName%3Dnode-1,status.phase%3DRunning`);
    await stage.get(`${pods}?fieldSelector=status.podIP%3D192.0.2.11`);
    await stage.delete(`${pods}/p`);
    await stage.delete(`${pods}/p`);
    await stage.delete(`${pods}/p?gracePeriodSeconds=5`);
    await stage.delete(`${pods}/p?gracePeriodSeconds=0`);
    await stage.get(`${pods}/p`);
    await stage.post(pods, { metadata: { name: 'unscheduled' }, spec: { containers: [container] } });
    await stage.delete(`${pods}/unscheduled`);
    const node = `node-of-${stage.namespace}`;
    await stage.post('/api/v1/nodes', {
      metadata: { name: node },
      spec: { podCIDRs: ['192.0.2.0/24'], podCIDR: '192.0.2.0/24' },
      status: {
        addresses: [{ type: 'InternalIP', address: '192.0.2.5' }],
        capacity: { cpu: '4000m', memory: '2048Ki' },
      },
    });
    await stage.strategicPatch(`/api/v1/nodes/${node}/status`, {
      status: { conditions: [{ type: 'Ready', status: 'True' }], addresses: [{ type: 'Hostname', address: 'h' }] },
    });
    await stage.mergePatch(`/api/v1/nodes/${node}`, { spec: { providerID: 'p', taints: null } });
    await stage.mergePatch(`/api/v1/nodes/${node}`, { spec: { providerID: 'q', podCIDRs: ['198.51.100.0/24'] } });
    await stage.delete(`/api/v1/nodes/${node}`);
  },
};

const notGiven: Scene = {
  name: 'objects: what is written without being given',
  async play(stage) {
    const env = [
      { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'x', key: 'k' } } },
    ];
    const probes = { livenessProbe: { grpc: { port: 9000 } }, startupProbe: { tcpSocket: { port: 'http' } } };
    const reference = { kind: 'PersistentVolumeClaim', name: 'c' };
    const claim = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      dataSource: reference,
    };
    await stage.eventually(`${core(stage, 'serviceaccounts')}/default`, ({ kind }) => kind === 'ServiceAccount');
    await stage.post(core(stage, 'pods'), {
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'example.test/web:1.0', env, ...probes }],
        volumes: [
          { name: 'a', ephemeral: { volumeClaimTemplate: { spec: claim } } },
          { name: 'b', projected: { sources: [{ serviceAccountToken: { path: 't' } }, { downwardAPI: {} }] } },
        ],
      },
    });
  },
};

export const objectScenes: readonly Scene[] = [
  metadata,
  bodies,
  fieldValidation,
  updates,
  kinds,
  podsAndNodes,
  notGiven,
];
