import { clusterId, Journal } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { type Service, services } from '@fairlead/kube';
import { NeutronPorts } from '@fairlead/openstack/ports';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Cluster, eventually, Fairlead, type RunningFairlead, startCluster } from '../harness/index.ts';
import { openPortsStage, type PortsStage } from './ports-stage.ts';
import { sharedOpenStack } from './sharing.ts';

const { signal } = new AbortController();
const LEASES = 'fairlead-leases';
/** What an operator lets the gateway send from. */
const FOREIGN = { ip_address: '10.20.0.250', mac_address: 'aa:bb:cc:00:00:01' };

describe('addresses of gateways in real Neutron', () => {
  let stage: PortsStage;

  beforeAll(async () => {
    stage = await openPortsStage(await sharedOpenStack(inject('openStackSharing')));
    await stage.neutron.updatePort(stage.gatewayPort, { allowed_address_pairs: [FOREIGN] });
  }, 300_000);

  afterAll(() => stage[Symbol.asyncDispose]());

  const portsOf = (cluster: string) => {
    const { neutron, networkId, subnetIds, floatingNetworkId } = stage;
    const pools = [{ name: 'web', networkId, subnetIds, floatingNetworkId }];
    const scope = { cluster: clusterId(cluster), part: 'gateway', pools };
    return new NeutronPorts({ neutron, scope, journal: new Journal(systemClock) });
  };

  const tagsOf = (cluster: string) => [`fairlead-cluster=${cluster}`, 'fairlead-part=gateway', 'fairlead-pool=web'];

  it('are made with our marks, attached, and taken away again, and nothing of others is', async () => {
    const { neutron, gatewayPort } = stage;
    const [ours, theirs] = [portsOf('cluster-1'), portsOf('cluster-2')];
    const web = await ours.createAndAssignPort('web', 'IPv4', signal);
    const six = await ours.createAndAssignPort('web', 'IPv6', signal);
    const other = await theirs.createAndAssignPort('web', 'IPv4', signal);
    const tags = tagsOf('cluster-1');
    expect([web.port.tags.toSorted(), web.floatingIp?.tags.toSorted()]).toEqual([tags, tags]);
    expect(web.address).toMatch(/^203\.0\.113\./);
    expect(web.fixedAddress).toMatch(/^10\.20\.0\./);
    expect(six.address).toMatch(/^fd20::/);
    const gateways = new Set([gatewayPort]);
    await ours.attach([web.fixedAddress, six.fixedAddress], gateways, signal);
    expect(await stage.pairs()).toEqual(new Set([FOREIGN.ip_address, web.fixedAddress, six.fixedAddress]));

    await ours.cleanUnusedPorts(new Set([six.port.id]), gateways, signal);
    expect((await ours.list(signal)).map(({ port }) => port.id)).toEqual([six.port.id]);
    expect(await stage.pairs()).toEqual(new Set([FOREIGN.ip_address, six.fixedAddress]));
    expect(await neutron.findFloatingIp(web.floatingIp?.id ?? '')).toBeUndefined();

    await ours.cleanUnusedPorts(new Set(), gateways, signal);
    expect(await stage.pairs()).toEqual(new Set([FOREIGN.ip_address]));
    expect(await theirs.list(signal)).toMatchObject([{ address: other.address }]);
    await theirs.cleanUnusedPorts(new Set(), gateways, signal);
    expect(await theirs.list(signal)).toEqual([]);
  });

  /** Each step begins where the one before it ended. */
  describe('for the Services of two real clusters in one project', () => {
    const NAMES = ['one', 'two'] as const;
    const clusters = new Map<string, Cluster>();
    const running: RunningFairlead[] = [];
    const files: Fairlead[] = [];

    const start = async (name: string) => {
      const cluster = await startCluster();
      clusters.set(name, cluster);
      await cluster.kubectl(['create', 'namespace', LEASES]);
      const { kubeconfigPath } = await cluster.createIdentity('fairlead');
      const { cloudsFile, networkId: network, gatewayPort } = stage;
      const section = { network, floatingNetwork: 'public', gatewayPorts: [gatewayPort] };
      const pools = [{ name: 'web', openstack: section }];
      const fairlead = await Fairlead.configure({
        kubernetes: { kubeconfig: kubeconfigPath },
        leaderElection: { namespace: LEASES },
        parts: { gateway: { openstack: { cloudsFile, clusterId: name }, pools } },
      });
      files.push(fairlead);
      running.push(await fairlead.run());
    };

    beforeAll(() => Promise.all(NAMES.map(start)), 120_000);

    afterAll(async () => {
      await Promise.all(running.map((one) => one.kill()));
      await Promise.all([...clusters.values()].map((one) => one.stop()));
      await Promise.all(files.map((one) => one.remove()));
    });

    const clusterOf = (name: string): Cluster => {
      const found = clusters.get(name);
      if (found === undefined) throw new Error(`the cluster ${name} did not start`);
      return found;
    };

    const create = (cluster: string, name: string, spec: Service['spec']) =>
      clusterOf(cluster).client.create(services, {
        metadata: { namespace: 'default', name },
        spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/gateway', ...spec },
      });

    /** Once it is served as it asks: its addresses, and the ids of its ports. */
    const served = (cluster: string, name: string) =>
      eventually(
        async () => {
          const { status, metadata } = await clusterOf(cluster).client.get(services, { namespace: 'default', name });
          if (status?.conditions?.[0]?.status !== 'True') return false;
          const addresses = (status.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
          return { addresses, ids: metadata.annotations?.['gateway.fairlead.dev/l2-ports']?.split(',') ?? [] };
        },
        { describe: `${name} of the cluster ${cluster} to be served`, timeoutMs: 60_000, intervalMs: 100 },
      );

    const remove = async (cluster: string, name: string) => {
      const { client } = clusterOf(cluster);
      const key = { namespace: 'default', name };
      await client.delete(services, key);
      const isGone = async () => (await client.find(services, key)) === undefined;
      await eventually(isGone, { describe: `${name} to be gone`, timeoutMs: 60_000, intervalMs: 100 });
    };

    const listOf = (cluster: string) => portsOf(cluster).list(signal);

    it('are made with tags and floating IPs, and shared by those whose ports do not meet', async () => {
      await create('one', 'web', { ports: [{ port: 80 }] });
      const web = await served('one', 'web');
      await create('one', 'dns', { ports: [{ port: 53, protocol: 'UDP' }] });
      const ipFamilies = ['IPv4', 'IPv6'] as const;
      await create('one', 'shop', { ports: [{ port: 80 }], ipFamilyPolicy: 'RequireDualStack', ipFamilies });
      expect(await served('one', 'dns')).toEqual(web);
      const shop = await served('one', 'shop');
      await create('two', 'web', { ports: [{ port: 80 }] });
      const other = await served('two', 'web');

      const ours = await listOf('one');
      expect(new Set(ours.map(({ port }) => port.id))).toEqual(new Set([...web.ids, ...shop.ids]));
      expect(new Set(ours.map(({ address }) => address))).toEqual(new Set([...web.addresses, ...shop.addresses]));
      expect(web.addresses).toEqual([expect.stringMatching(/^203\.0\.113\./)]);
      expect(shop.addresses).toEqual([expect.stringMatching(/^203\.0\.113\./), expect.stringMatching(/^fd20::/)]);
      for (const { port, floatingIp, family } of ours) {
        expect(port.tags.toSorted()).toEqual(tagsOf('one'));
        expect(floatingIp?.tags.toSorted()).toEqual(family === 'IPv4' ? tagsOf('one') : undefined);
      }
      const theirs = await listOf('two');
      expect(theirs.map(({ port, address }) => [port.id, address])).toEqual([[other.ids[0], other.addresses[0]]]);
      const fixed = [...ours, ...theirs].map(({ fixedAddress }) => fixedAddress);
      expect(await stage.pairs()).toEqual(new Set([FOREIGN.ip_address, ...fixed]));
    });

    it('are released with the last Service, and nothing of the other cluster or an operator is', async () => {
      const [ours, before] = [await listOf('one'), await listOf('two')];
      const user = await stage.neutron.createFloatingIp({ floating_network_id: stage.floatingNetworkId });
      const dns = await served('one', 'dns');
      await Promise.all([remove('one', 'web'), remove('one', 'shop')]);
      expect((await listOf('one')).map(({ port }) => port.id)).toEqual(dns.ids);
      await remove('one', 'dns');
      expect(await listOf('one')).toEqual([]);
      expect(await listOf('two')).toEqual(before);
      const left = before.map(({ fixedAddress }) => fixedAddress);
      expect(await stage.pairs()).toEqual(new Set([FOREIGN.ip_address, ...left]));
      // Other tests have floating IPs in the project, too.
      const ids = (await stage.neutron.listFloatingIps()).map(({ id }) => id);
      expect(ids).toContain(user.id);
      expect(ours.filter(({ floatingIp }) => ids.includes(floatingIp?.id ?? ''))).toEqual([]);

      await stage.neutron.deleteFloatingIp(user.id);
      await remove('two', 'web');
      expect(await listOf('two')).toEqual([]);
      expect(await stage.pairs()).toEqual(new Set([FOREIGN.ip_address]));
    });
  });
});
