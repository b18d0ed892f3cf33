import { gatewayPart } from '@fairlead/gateway';
import { namespaces } from '@fairlead/kube';
import { ROUGH_DISTURBANCES, ROUGH_RATES, type Scenario } from '@fairlead/sim';
import { KUBE, serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from '../replica.ts';
import {
  applyServiceEdit,
  create,
  describeServiceEdit,
  drawServiceEdits,
  portsOf,
  type ServiceEdit,
} from './service-edits.ts';
import {
  leakedMarks,
  NAMESPACE,
  Promises,
  REPLICAS,
  serviceInvariants,
  type ServiceWorld,
  unfinishedServices,
} from './services.ts';

const POOL = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1'];
/** The gateway part in two replicas, and users who create, edit and delete Services that compete for few addresses. */
export const gatewayStatic: Scenario<ServiceWorld, ServiceEdit> = {
  name: 'gateway-static',
  description: 'no address is given twice, lost or leaked, whatever happens to Services, replicas and the network',
  minutes: 4,
  convergesWithinMinutes: 12,
  faults: [{ rates: { ...ROUGH_RATES, crash: 0.004 } }],
  disturbances: {
    perMinute: ROUGH_DISTURBANCES,
    processes: REPLICAS,
    servers: [KUBE],
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds) => drawServiceEdits(random, milliseconds, 60, POOL),
  build,
  apply: applyServiceEdit,
  describe: describeServiceEdit,
  invariants: serviceInvariants,
  unfinished: unfinishedServices,
  rest: { minutes: 10, allows: ({ name }) => name.includes('leases') || name.includes('events') },
  leaked: leakedMarks,
  lost: () => [],
};

/** A few edits without any faults: the crash matrix kills a replica at each of the calls they cause. */
export const gatewayStaticCrash: Scenario<ServiceWorld, ServiceEdit> = {
  ...gatewayStatic,
  name: 'gateway-static-crash',
  description: 'one replica is killed before and after each of its calls: nothing is given twice, lost or leaked',
  minutes: 2,
  faults: [],
  disturbances: { perMinute: {}, processes: REPLICAS, servers: [KUBE], longestMilliseconds: 0 },
  // A Lease is renewed in the same way over and over: the first few times tell.
  isCrashPoint: ({ name, ordinal }) => !name.includes('leases') || ordinal <= 3,
  actions: () => [
    { at: 1_000, event: create('web', [80, 443]) },
    { at: 1_500, event: create('shop', [80]) },
    { at: 2_000, event: create('late', [80]) },
    { at: 2_500, event: { ...create('alone', [443]), exclusive: true } },
    { at: 3_000, event: { kind: 'backup', name: 'shop' } },
    { at: 12_000, event: { kind: 'forge', name: 'web', address: '192.0.2.2' } },
    { at: 20_000, event: { kind: 'ports', name: 'web', ports: portsOf([80, 8443]) } },
    { at: 22_000, event: { kind: 'sharing', name: 'late', sharing: 'exclusive' } },
    { at: 25_000, event: { kind: 'type', name: 'shop', type: 'ClusterIP' } },
    { at: 50_000, event: { kind: 'delete', name: 'web' } },
    { at: 60_000, event: { kind: 'type', name: 'shop', type: 'LoadBalancer' } },
  ],
};

async function build(simulation: Parameters<typeof serveKubernetes>[0]): Promise<ServiceWorld> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  const gateway = gatewayPart();
  const part = gateway.configure({ addresses: POOL });
  for (const name of REPLICAS) simulation.process(name, (incarnation) => runReplica(gateway.name, part, incarnation));
  return { ...cluster, part, promises: new Promises(), backedUp: new Set(), forged: new Set() };
}
