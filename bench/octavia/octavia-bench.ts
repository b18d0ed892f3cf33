import type { Bench, Figures, Progress } from '../bench.ts';
import { rounded } from '../statistics.ts';
import { kuryr, ours, type SideKind, type Workload } from './sides.ts';
import { startWorld } from './world.ts';

const SIZES = [1, 50, 500] as const;
const REPLACED = 50;
const AT_ONCE = 200;
/** How long Octavia is at each change where time is measured: amphorae take longer. */
const CHANGE_MILLISECONDS = 500;

export const octaviaBench: Bench = {
  name: 'octavia',
  description:
    'calls to Octavia, Neutron and Kubernetes for load balancers, beside the handler and driver of kuryr-kubernetes 10.0.0',
  targets: [
    { figure: 'oursCreate50OctaviaWrites', atMost: 1, why: 'a new load balancer with all its members is one call' },
    { figure: 'oursCreate500OctaviaWrites', atMost: 1, why: 'however many members it has' },
    {
      figure: 'oursCreate50StatusWrites',
      atMost: 2,
      why: 'the resource tells that it is being made, and what was made',
    },
    { figure: 'oursReplaceHalfOctaviaWrites', atMost: 1, why: 'a pool whose members change is one call' },
    {
      figure: 'oursAtOnceOctaviaWrites',
      atMost: AT_ONCE,
      why: 'each Service is one call, also when there are many at once',
    },
    { figure: 'create50CallRatio', atLeast: 5, why: 'Kuryr makes a call or more for each member, and so it polls' },
    { figure: 'create50TimeRatio', atLeast: 5, why: 'and waits after each of them' },
  ],
  run,
};

async function run(progress: Progress): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const side of [ours, kuryr]) {
    for (const size of SIZES) {
      progress(`${side.name}: a Service with ${size} members`);
      Object.assign(figures, await create(side, size));
    }
    progress(`${side.name}: half of ${REPLACED} members replaced`);
    Object.assign(figures, await replaceHalf(side));
    progress(`${side.name}: ${AT_ONCE} Services at once`);
    Object.assign(figures, await atOnce(side));
    progress(
      `${side.name}: a Service with ${REPLACED} members, where Octavia takes ${CHANGE_MILLISECONDS} ms for a change`,
    );
    figures[`${side.name}Create${REPLACED}Milliseconds`] = await timed(side);
  }
  const ratio = (name: string) => (figures[`kuryr${name}`] ?? 0) / Math.max(1, figures[`ours${name}`] ?? 0);
  const calls = (side: string) =>
    ['Octavia', 'Neutron', 'Kubernetes'].reduce(
      (sum, server) => sum + (figures[`${side}Create50${server}Calls`] ?? 0),
      0,
    );
  return {
    ...figures,
    create50CallRatio: rounded(calls('kuryr') / Math.max(1, calls('ours'))),
    create50TimeRatio: rounded(ratio('Create50Milliseconds')),
  };
}

function workload(name: string, count: number, from = 0): Workload {
  const addresses = Array.from({ length: count }, (_, index) => {
    const number = from + index;
    return `10.1.${1 + Math.floor(number / 250)}.${1 + (number % 250)}`;
  });
  return { name, addresses };
}

async function create(side: SideKind, size: number): Promise<Figures> {
  await using world = await startWorld(side.definition, 0);
  await using running = await side.start(world);
  world.counter.clear();
  const milliseconds = await running.serve([workload('web', size)]);
  return withInstant(`${side.name}Create${size}`, world.counter, milliseconds);
}

async function replaceHalf(side: SideKind): Promise<Figures> {
  await using world = await startWorld(side.definition, 0);
  await using running = await side.start(world);
  await running.serve([workload('web', REPLACED)]);
  world.counter.clear();
  const milliseconds = await running.serve([workload('web', REPLACED, REPLACED / 2)]);
  return withInstant(`${side.name}ReplaceHalf`, world.counter, milliseconds);
}

/** How long it takes where Octavia makes each change at once: what is left is polling, and the calls themselves. */
function withInstant(prefix: string, counter: Parameters<typeof counted>[1], milliseconds: number): Figures {
  return { ...counted(prefix, counter), [`${prefix}InstantMilliseconds`]: Math.round(milliseconds) };
}

async function atOnce(side: SideKind): Promise<Figures> {
  await using world = await startWorld(side.definition, 0);
  await using running = await side.start(world);
  world.counter.clear();
  const workloads = Array.from({ length: AT_ONCE }, (_, index) => workload(`web-${index}`, 1, index));
  const milliseconds = await running.serve(workloads);
  return {
    ...counted(`${side.name}AtOnce`, world.counter),
    [`${side.name}AtOnceMilliseconds`]: Math.round(milliseconds),
  };
}

async function timed(side: SideKind): Promise<number> {
  await using world = await startWorld(side.definition, CHANGE_MILLISECONDS);
  await using running = await side.start(world);
  return Math.round(await running.serve([workload('web', REPLACED)]));
}

function counted(prefix: string, counter: Awaited<ReturnType<typeof startWorld>>['counter']): Figures {
  const figures: Record<string, number> = {};
  for (const [server, title] of [
    ['octavia', 'Octavia'],
    ['neutron', 'Neutron'],
    ['kubernetes', 'Kubernetes'],
  ] as const) {
    const { calls, writes, bytes } = counter.of(server);
    figures[`${prefix}${title}Calls`] = calls;
    figures[`${prefix}${title}Writes`] = writes;
    figures[`${prefix}${title}Bytes`] = bytes;
  }
  figures[`${prefix}StatusWrites`] = counter.count('kubernetes PATCH kuryrloadbalancers/status');
  return figures;
}
