// Our side where processor time is measured: the engine with its updaters and its way to Azure, on the system's clock.
// `node --expose-gc engine.ts changes ADDRESSES CHANGES` or `... deletion ADDRESSES LATENCY`; prints one JSON line.
import { ArmClient } from '@fairlead/azure/arm';
import {
  EnginePump,
  Inventory,
  inboundSpec,
  Repository,
  StateJournal,
  scope,
} from '@fairlead/azure/service-gateway/testing';
import { Journal, messageOf, noMetrics, seededRandom, silentLogger, sleep } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { InstantArm } from './instant-arm.ts';
import { BenchWorld } from './world.ts';

/** Changes before the measurement, so that a process that has been running for a while is measured. */
const WARM_UP_CHANGES = 2_000;
/** The collector goes on in the background for a while after it was called. */
const COLLECTION_MILLISECONDS = 200;

const [scenario, ...numbers] = process.argv.slice(2);
const [addresses = 0, second = 0] = numbers.map(Number);
const world = new BenchWorld(addresses);
const arm = new InstantArm(systemClock);
const { signal } = new AbortController();
const clock = systemClock;
const client = new ArmClient({
  endpoint: 'https://arm.invalid',
  clock,
  random: seededRandom(1),
  metrics: noMetrics,
  userAgent: 'fairlead-bench',
  transport: arm,
});
const pump = new EnginePump({
  repository: new Repository(client, scope, new Inventory(clock), clock),
  clock,
  random: seededRandom(2),
  logger: silentLogger,
  metrics: noMetrics,
  journal: new StateJournal(new Journal(clock), clock, new Map()),
  // As they are by default.
  limits: { addresses: 5_000, bytes: 2_000_000 },
  signal,
});
const { engine } = pump;
void pump.run((notice) => {
  if (notice.kind === 'state-changed' && notice.outcome?.ok === false) {
    fail(`${notice.key} failed: ${messageOf(notice.outcome.error)}`);
  }
  if (notice.kind === 'address-refused' || notice.kind === 'drift-suspected') fail(JSON.stringify(notice));
}, signal);

await createServices(world.services);

if (scenario === 'changes') await changeAddresses(second);
else if (scenario === 'deletion') await deleteEverything(second);
else fail(`there is no scenario ${scenario}`);
process.exit();

async function changeAddresses(changes: number): Promise<void> {
  const requests = Array.from({ length: WARM_UP_CHANGES + changes }, (_, change) => {
    const service = (change * 7919) % world.services;
    world.replacePod(service, change);
    return { key: inboundSpec(world.uid(service)).key, endpoints: world.endpoints(service) };
  });
  const grant = async (some: typeof requests) => {
    for (const { key, endpoints } of some) {
      // The next one comes as soon as Azure has this one: no turn of the event loop is waited for in between.
      const answered = arm.nextAnswer();
      engine.updateEndpoints(key, endpoints);
      await answered;
    }
  };
  await grant(requests.slice(0, WARM_UP_CHANGES));
  const figures = await measured(async () => {
    await grant(requests.slice(WARM_UP_CHANGES));
    // As the peer's figure has it, with what follows the last one.
    await settled();
  });
  console.log(JSON.stringify(figures));
}

async function deleteEverything(latencyMilliseconds: number): Promise<void> {
  // As with the changes: a process that has done this before is measured.
  await deleteServices(world.services);
  await createServices(world.services);
  arm.latencyMilliseconds = latencyMilliseconds;
  const figures = await measured(() => deleteServices(world.services));
  console.log(JSON.stringify({ ...figures, left: engine.states.size }));
}

async function createServices(count: number): Promise<void> {
  for (let service = 0; service < count; service += 1) {
    const spec = inboundSpec(world.uid(service));
    engine.addService(spec);
    engine.updateEndpoints(spec.key, world.endpoints(service));
  }
  await settled();
}

async function deleteServices(count: number): Promise<void> {
  for (let service = 0; service < count; service += 1) engine.deleteService(inboundSpec(world.uid(service)).key);
  await settled();
}

async function measured(work: () => Promise<void>) {
  globalThis.gc?.();
  await sleep(clock, COLLECTION_MILLISECONDS);
  arm.writes = 0;
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const wallSeconds = (performance.now() - startedAt) / 1000;
  return { cpuSeconds: (user + system) / 1e6, wallSeconds, writes: arm.writes };
}

/** Both updaters may wake each other. */
async function settled(): Promise<void> {
  while (engine.oldestUnsettledSince !== undefined || !engine.tracker.isInSync) {
    await pump.idle();
    await clock.turn();
  }
}

function fail(why: string): never {
  throw new Error(why);
}
