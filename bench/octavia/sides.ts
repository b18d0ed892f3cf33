import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomResourceDefinition } from '@fairlead/kube';
import { openCloud } from '@fairlead/openstack/client/adapters';
import { octaviaPart } from '@fairlead/openstack/octavia';
import { z } from 'zod';
import { pythonWith } from '../../scripts/python-packages.ts';
import { NAMESPACE, type World } from './world.ts';

const HERE = import.meta.dirname;
const PROGRAM = join(HERE, '..', '..', 'packages', 'cli', 'main.ts');
const PEER = join(HERE, '..', 'peers', 'kuryr');

/** A Service and where it sends to. */
export interface Workload {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** A controller between the cluster and OpenStack of a world. */
export interface Side extends AsyncDisposable {
  /**
   * Has these served, new or with other endpoints than before: the milliseconds until they were. Resolves when the
   * controller has no more to do.
   */
  serve(workloads: readonly Workload[]): Promise<number>;
}

export interface SideKind {
  readonly name: string;
  readonly definition: CustomResourceDefinition;
  start(world: World): Promise<Side>;
}

const [ownDefinition] = octaviaPart(openCloud).customResources;
if (ownDefinition === undefined) throw new Error('the part has no custom resource');

export const ours: SideKind = { name: 'ours', definition: ownDefinition, start: startOurs };
/** Kuryr's own has no status subresource. */
export const kuryr: SideKind = {
  name: 'kuryr',
  definition: {
    ...ownDefinition,
    spec: {
      ...ownDefinition.spec,
      versions: ownDefinition.spec.versions.map(({ name, served, storage }) => ({
        name,
        served,
        storage,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  },
  start: startKuryr,
};

/** The whole program, as an operator runs it. */
async function startOurs(world: World): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-octavia-'));
  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const auth = { auth_url: world.authUrl, username: 'demo', password: 'secret', project_name: 'demo' };
  const octavia = {
    cloudsFile: await write('clouds.yaml', JSON.stringify({ clouds: { bench: { auth } } })),
    network: 'pods',
    subnets: [world.subnets.services],
    members: 'pods',
    memberSubnets: [world.subnets.pods],
    comparisonIntervalSeconds: 0,
  };
  const configuration = await write(
    'fairlead.yaml',
    JSON.stringify({
      http: { listen: '127.0.0.1:0' },
      kubernetes: { kubeconfig: await write('kubeconfig', world.kubeconfig) },
      leaderElection: { namespace: NAMESPACE },
      parts: { octavia },
    }),
  );
  const child = spawn(process.execPath, [PROGRAM, 'run', '--config', configuration], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  await lineWith(child, '"msg":"leading"');
  // It reads what the configuration names, and looks for what another leader left behind.
  await quiet(world);
  const known = new Set<string>();
  return {
    async serve(workloads) {
      const begun = performance.now();
      for (const workload of workloads) await putService(world, workload, known);
      for (const { name } of workloads) {
        while (!(await isProgrammed(world, name))) await sleep(20);
      }
      const wanted = workloads
        .flatMap(({ addresses }) => addresses)
        .toSorted()
        .join();
      while (world.members().toSorted().join() !== wanted || !(await areTold(world, workloads))) await sleep(20);
      const milliseconds = performance.now() - begun;
      await quiet(world);
      return milliseconds;
    },
    async [Symbol.asyncDispose]() {
      await end(child);
      await rm(folder, { recursive: true });
    },
  };
}

/** Its handler for KuryrLoadBalancers and its driver; the resource is filled as its other two handlers would. */
async function startKuryr(world: World): Promise<Side> {
  const python = await pythonWith({ name: 'kuryr-kubernetes', lockFile: join(PEER, 'requirements.lock') });
  const { kubeUrl, authUrl, projectId, subnets, securityGroupId } = world;
  const parameters = [kubeUrl, authUrl, projectId, subnets.pods, securityGroupId];
  const child = spawn(python, [join(PEER, 'drive.py'), ...parameters], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1', PYTHONWARNINGS: 'ignore' },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const known = new Map<string, number>();
  return {
    async serve(workloads) {
      const begun = performance.now();
      for (const { name, addresses } of workloads) {
        const number = known.get(name) ?? known.size;
        const spec = kuryrSpec(world, addresses, number);
        const path = `/apis/openstack.org/v1/namespaces/${NAMESPACE}/kuryrloadbalancers`;
        const object = known.has(name)
          ? await world.kube.byHand('PATCH', `${path}/${name}`, { spec })
          : await world.kube.byHand('POST', path, await kuryrResource(world, name, spec));
        known.set(name, number);
        child.stdin.write(`${JSON.stringify(object)}\n`);
      }
      for (const _ of workloads) if ((await lines.next()).done === true) throw new Error('the peer ended');
      return performance.now() - begun;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await end(child);
    },
  };
}

/** As its ServiceHandler creates it: without the owner it would look for the Service at every Event. */
async function kuryrResource(world: World, name: string, spec: object): Promise<object> {
  const metadata = { namespace: NAMESPACE, name };
  const about = { apiVersion: 'v1', kind: 'Service' };
  const service = { ...about, metadata, spec: { ports: [{ port: 80, name: 'web' }] } };
  const created = await world.kube.byHand('POST', `/api/v1/namespaces/${NAMESPACE}/services`, service);
  const { uid } = z.object({ metadata: z.object({ uid: z.string() }) }).parse(created).metadata;
  const finalizers = ['kuryr.openstack.org/kuryrloadbalancer-finalizers'];
  const held = { ...metadata, finalizers, ownerReferences: [{ ...about, name, uid }] };
  return { apiVersion: 'openstack.org/v1', kind: 'KuryrLoadBalancer', metadata: held, spec, status: {} };
}

function kuryrSpec(world: World, addresses: readonly string[], number: number): object {
  const endpoints = addresses.map((address) => ({
    addresses: [address],
    conditions: { ready: true },
    targetRef: { kind: 'Pod', namespace: NAMESPACE, name: `pod-${address.replaceAll('.', '-')}` },
  }));
  return {
    ip: `10.2.${200 + Math.floor(number / 200)}.${(number % 200) + 10}`,
    ports: [{ name: 'web', port: 80, protocol: 'TCP', targetPort: '8080' }],
    project_id: world.projectId,
    security_groups_ids: [],
    subnet_id: world.subnets.services,
    type: 'ClusterIP',
    endpointSlices: [{ endpoints, ports: [{ name: 'web', port: 8080, protocol: 'TCP' }] }],
  };
}

async function putService(world: World, { name, addresses }: Workload, known: Set<string>): Promise<void> {
  const endpoints = addresses.map((address) => ({
    addresses: [address],
    conditions: { ready: true },
    targetRef: { kind: 'Pod', namespace: NAMESPACE, name: `pod-${address.replaceAll('.', '-')}` },
  }));
  const slices = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;
  if (known.has(name)) {
    await world.kube.byHand('PATCH', `${slices}/${name}`, { endpoints });
    return;
  }
  known.add(name);
  await world.kube.byHand('POST', slices, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: NAMESPACE, name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
    endpoints,
  });
  await world.kube.byHand('POST', `/api/v1/namespaces/${NAMESPACE}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: NAMESPACE, name },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'fairlead.dev/octavia',
      allocateLoadBalancerNodePorts: false,
      ports: [{ name: 'web', port: 80, targetPort: 8080 }],
    },
  });
}

async function isProgrammed(world: World, name: string): Promise<boolean> {
  const service = JSON.stringify(await world.kube.byHand('GET', `/api/v1/namespaces/${NAMESPACE}/services/${name}`));
  return service.includes('"ingress"');
}

/** The status of each resource has all members. */
async function areTold(world: World, workloads: readonly Workload[]): Promise<boolean> {
  for (const { name, addresses } of workloads) {
    const path = `/apis/openstack.org/v1/namespaces/${NAMESPACE}/kuryrloadbalancers/${name}`;
    const status =
      JSON.stringify(await world.kube.byHand('GET', path))
        .split('"status":{')
        .at(-1) ?? '';
    if (!addresses.every((address) => status.includes(`"${address}"`))) return false;
  }
  return true;
}

/** Until nothing was asked of OpenStack for a while. */
async function quiet(world: World): Promise<void> {
  for (let before = -1; before !== total(world); ) {
    before = total(world);
    await sleep(500);
  }
}

function total({ counter }: World): number {
  return ['octavia', 'neutron', 'kubernetes'].reduce((sum, server) => sum + counter.of(server).calls, 0);
}

async function lineWith(child: ChildProcess, words: string): Promise<void> {
  if (child.stderr === null) throw new Error('the program has no log');
  const lines = createInterface({ input: child.stderr });
  const log: string[] = [];
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line);
      if (line.includes(words)) resolve();
    });
    lines.once('close', () => reject(new Error(`the program ended:\n${log.join('\n')}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}
