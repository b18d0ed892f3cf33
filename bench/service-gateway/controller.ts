// Our side where calls are counted and time is virtual: the whole controller on a simulated cluster and an emulated
// Azure. `node controller.ts burst SERVICES ENDPOINTS LATENCY [1: with ARM's buckets]` or `... restart SERVICES ENDPOINTS`; prints one line.
import { GatewayCluster, newAzure, Replica, scope } from '@fairlead/azure/service-gateway/testing';
import { VirtualClock } from '@fairlead/control';
import { ARM_BUCKETS } from '../arm-buckets.ts';

const NODES = 50;
const LONGEST_MILLISECONDS = 10 * 60_000;
const SETTLED_MILLISECONDS = 60_000;
/** Longer than it takes until the controller looks at everything again by itself, several times over. */
const WATCHED_AFTER_RESTART_MILLISECONDS = 60 * 60_000;

const [scenario, ...numbers] = process.argv.slice(2);
const [services = 0, endpoints = 0, latencyMilliseconds = 0, hasBuckets = 0] = numbers.map(Number);
const clock = new VirtualClock();
const azure = newAzure(clock);
const cluster = new GatewayCluster(clock);
await cluster.setUp(...Array.from({ length: NODES }, (_, index) => [`10.0.0.${index + 1}`]));

if (scenario === 'burst') console.log(JSON.stringify(await burst()));
else if (scenario === 'restart') console.log(JSON.stringify(await restart()));
else throw new Error(`there is no scenario ${scenario}`);
process.exit();

/** All Services come in the same instant, to a controller that has nothing else to do. */
async function burst() {
  const replica = new Replica(cluster, azure);
  await replica.settle();
  azure.log.clear();
  const latency = { minimum: latencyMilliseconds, maximum: latencyMilliseconds };
  azure.behave({ latency, ...(hasBuckets === 1 ? { rateLimits: ARM_BUCKETS } : {}) });
  const startedAt = clock.monotonic();
  await createServices();
  await programmed(replica, () => servicesTold() === services);
  const milliseconds = clock.monotonic() - startedAt;
  azure.assertConsistent();
  return { milliseconds, writes: azure.log.writes.length, programmed: countProgrammed() };
}

/** Another replica comes into a world in which everything is as it should be. */
async function restart() {
  const first = new Replica(cluster, azure);
  await createServices();
  await programmed(first, () => servicesTold() === services);
  // What is told besides: Events.
  await clock.advance(SETTLED_MILLISECONDS);
  await first.stop();
  azure.log.clear();
  cluster.writes.length = 0;
  const second = new Replica(cluster, azure);
  await programmed(second);
  await clock.advance(WATCHED_AFTER_RESTART_MILLISECONDS);
  azure.assertConsistent();
  return {
    writes: azure.log.writes.length,
    kubernetesWrites: cluster.writes.length,
    reads: azure.log.count('GET'),
    programmed: countProgrammed(),
  };
}

async function createServices(): Promise<void> {
  for (let service = 0; service < services; service += 1) {
    const name = `service-${service}`;
    await cluster.createService(name);
    const addresses = Array.from({ length: endpoints }, (_, index) => endpoint(service * endpoints + index));
    await cluster.putSlice(name, `${name}-1`, addresses);
  }
}

function endpoint(pod: number): string {
  return `10.${64 + (pod >> 16)}.${(pod >> 8) & 255}.${pod & 255}@node-${(pod % NODES) + 1}`;
}

/** Lets time pass until Azure has everything, and more if more is asked for. */
async function programmed(replica: Replica, isEnough = () => true): Promise<void> {
  const { engine } = replica;
  const isProgrammed = () =>
    replica.readiness.ready && engine.counts.get('Created') === services && engine.tracker.isInSync && isEnough();
  if (!(await clock.runUntil(isProgrammed, LONGEST_MILLISECONDS))) {
    throw new Error(`only ${countProgrammed()} of ${services * endpoints} addresses are programmed`);
  }
}

/** How many Services have been told their address. */
function servicesTold(): number {
  return new Set(cluster.writes.filter((write) => /\/services\/[^/]+\/status$/.test(write))).size;
}

function countProgrammed(): number {
  let count = 0;
  for (const addresses of azure.gateway(scope.gatewayId).locations.values()) count += addresses.size;
  return count;
}
