// Our side of the bench: fills two caches from the server, and prints what that took as one JSON line.
// `node --expose-gc consumer.ts URL [--slices | --projected]`.
import { noMetrics, silentLogger } from '@fairlead/control';
import { SocketTransport, systemClock, systemRandom } from '@fairlead/control/adapters';
import { CacheFactory, type Credential, endpointSlices, HttpConnection, services } from '@fairlead/kube';
import { endpointSliceProjection, serviceProjection } from '@fairlead/service';
import { BENCH_CLASS } from './objects.ts';
import { SliceProbe } from './slice-probe.ts';

const [url, option] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: consumer.ts URL [--slices | --projected]');

const anonymous: Credential = { headers: {}, tls: {} };
const connection = new HttpConnection({
  server: url,
  credentials: { current: () => Promise.resolve(anonymous), renew() {} },
  transport: (tls) => new SocketTransport({ tls }),
  clock: systemClock,
  userAgent: 'fairlead-bench',
});

const memoryBefore = liveMemory();
const usageBefore = process.cpuUsage();
const startedAt = performance.now();
const probe = option === '--slices' ? new SliceProbe() : undefined;
const factory = new CacheFactory({
  connection,
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  metrics: noMetrics,
  signal: new AbortController().signal,
});
const rules = { loadBalancerClass: BENCH_CLASS, finalizer: BENCH_CLASS, isDefault: false } as const;
const caches =
  option === '--projected'
    ? [
        factory.projected(services, serviceProjection({ rules })),
        factory.projected(endpointSlices, endpointSliceProjection),
      ]
    : [factory.cache(services), factory.cache(endpointSlices)];
let events = 0;
for (const cache of caches) {
  cache.subscribe(() => {
    events += 1;
  });
}
await factory.synced();
const usage = process.cpuUsage(usageBefore);
const wallSeconds = (performance.now() - startedAt) / 1000;
probe?.stop();

const figures = {
  events,
  cpuSeconds: (usage.user + usage.system) / 1e6,
  wallSeconds,
  retainedBytes: liveMemory() - memoryBefore,
  longestSliceMilliseconds: probe?.longestMilliseconds,
  objects: caches.reduce((sum, cache) => sum + cache.size, 0),
};
console.log(JSON.stringify(figures));
process.exit();

/** Two collections: the first may leave what finalizers still hold. Buffers count although they are not on the heap. */
function liveMemory(): number {
  if (globalThis.gc === undefined) throw new Error('run this with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
