import { type Service, services } from '@fairlead/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, eventually, Fairlead, type RunningFairlead, startCluster } from './harness/index.ts';

const LEASES = 'fairlead-leases';
const SERVED = Array.from({ length: 50 }, (_, index) => `web-${index}`);
const REFUSED = ['late', 'later'];

/** A line of the log. */
interface Line {
  readonly level: string;
  readonly msg: string;
  readonly object?: string;
  readonly reason?: string;
  readonly leader?: string;
}

describe('the log alone', () => {
  let cluster: Cluster;
  let namespace: string;
  let first: RunningFairlead;
  let second: RunningFairlead;

  beforeAll(async () => {
    cluster = await startCluster();
    const { kubeconfigPath: kubeconfig } = await cluster.createIdentity('fairlead');
    await cluster.kubectl(['create', 'namespace', LEASES]);
    namespace = await cluster.createNamespace('shop');
    const fairlead = await Fairlead.configure({
      kubernetes: { kubeconfig },
      leaderElection: { namespace: LEASES },
      parts: { gateway: { addresses: ['203.0.113.0/32'] } },
    });
    const [one, other] = await Promise.all([fairlead.run(), fairlead.run()]);
    await eventually(() => one.isLeading || other.isLeading, { describe: 'a leadership', timeoutMs: 40_000 });
    [first, second] = one.isLeading ? [one, other] : [other, one];
  });

  afterAll(async () => {
    await Promise.all([first.kill(), second.kill()]);
    await cluster.stop();
  });

  const create = (name: string, port: number) =>
    cluster.client.create(services, {
      metadata: { namespace, name },
      spec: {
        type: 'LoadBalancer',
        loadBalancerClass: 'fairlead.dev/gateway',
        ipFamilies: ['IPv4'],
        allocateLoadBalancerNodePorts: false,
        ports: [{ port }],
      },
    });

  const addressOf = ({ status }: Service) => status?.loadBalancer?.ingress?.[0]?.ip;

  const linesOf = ({ log }: RunningFairlead): readonly Line[] => log.map((line) => JSON.parse(line));

  it('tells every assignment, both refusals, who stands by and the takeover, and nothing twice', async () => {
    await Promise.all(SERVED.map((name, index) => create(name, 8000 + index)));
    await eventually(
      async () => (await cluster.client.list(services, { namespace })).items.filter(addressOf).length === 50,
      { describe: '50 addresses' },
    );
    for (const name of REFUSED) await create(name, 8000);
    await eventually(() => linesOf(first).filter(({ reason }) => reason === 'AddressUnavailable').length >= 2, {
      describe: 'both refusals',
    });
    await eventually(() => linesOf(second).some(({ msg }) => msg.startsWith('standing by')), { describe: 'a standby' });
    await first.kill();
    await eventually(() => second.isLeading, { describe: 'the takeover', timeoutMs: 60_000 });
    await eventually(() => linesOf(second).length > 0, { describe: 'the log' });

    const told = linesOf(first).filter(({ object }) => object?.includes(namespace));
    for (const name of SERVED) {
      const lines = told.filter(({ object }) => object === `${namespace}/${name}`);
      expect(lines.map(({ level, reason }) => `${level} ${reason}`)).toEqual(['info EnsuredLoadBalancer']);
    }
    for (const name of REFUSED) {
      const lines = told.filter(({ object }) => object === `${namespace}/${name}`);
      expect(lines).toMatchObject([{ reason: 'AddressUnavailable', msg: expect.stringContaining('TCP/8000') }]);
    }
    expect(linesOf(second).filter(({ msg }) => msg.startsWith('standing by'))).toHaveLength(1);
    expect(linesOf(second).filter(({ msg }) => msg === 'leading')).toHaveLength(1);
  });
});
