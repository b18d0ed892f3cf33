import { type HttpRequest, type HttpTransport, randomInteger, readText, sleep } from '@fairlead/control';
import { ROUGH_RATES } from '../faults/fault.ts';
import type { Incarnation, SimulatedProcess } from '../process.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { Store } from './store.ts';

/** How a mirror goes about its work; all but the first are defects. */
export type MirrorHabit = 'careful' | 'chatty' | 'trusts-memory' | 'forgets-removals' | 'gives-up';

export interface MirrorWorld {
  readonly wanted: Store;
  readonly cloud: Store;
  readonly mirror: SimulatedProcess;
}

export type MirrorAction = { readonly set: string; readonly to: string } | { readonly remove: string };

const PATIENCE_MILLISECONDS = 2000;
const KEYS = 4;

/** A controller in its smallest form: keeps the values in a cloud as they are wanted. */
export function mirrorScenario(habit: MirrorHabit): Scenario<MirrorWorld, MirrorAction> {
  return {
    name: `mirror-${habit}`,
    description: 'copies wanted values to a cloud',
    minutes: 1,
    convergesWithinMinutes: 1,
    faults: [{ rates: ROUGH_RATES }],
    disturbances: {
      perMinute: { crash: 2, pause: 1, partition: 1, refusal: 1, reset: 1 },
      processes: ['mirror'],
      servers: ['wanted', 'cloud'],
    },
    actions: (random, milliseconds) =>
      Array.from({ length: 12 }, () => {
        const key = `key-${randomInteger(random, 1, KEYS)}`;
        const set = { set: key, to: String(randomInteger(random, 1, 9)) };
        return { at: randomInteger(random, 0, milliseconds), event: random.next() < 0.7 ? set : { remove: key } };
      }),
    build(simulation) {
      const [wanted, cloud] = [new Store(), new Store()];
      simulation.serve('wanted', wanted);
      simulation.serve('cloud', cloud);
      return { wanted, cloud, mirror: simulation.process('mirror', (mirror) => run(mirror, habit)) };
    },
    apply({ wanted }, action) {
      if ('set' in action) wanted.values.set(action.set, action.to);
      else wanted.values.delete(action.remove);
    },
    describe: (action) => ('set' in action ? `want ${action.set}=${action.to}` : `want no ${action.remove}`),
    invariants: ({ cloud }) => [
      {
        name: 'room for all',
        check: () => (cloud.values.size > 3 * KEYS ? `there are ${cloud.values.size} values` : undefined),
      },
    ],
    unfinished({ wanted, cloud }) {
      const copies = [...cloud.values].map(([key, value]) => `${originalOf(key)}=${value}`);
      const missing = [...wanted.values].map((pair) => pair.join('=')).find((pair) => !copies.includes(pair));
      return missing === undefined ? undefined : `${missing} is missing`;
    },
    rest: { minutes: 1, allows: () => false },
    leaked({ wanted, cloud }) {
      const seen = new Set<string>();
      return [...cloud.values.keys()].reverse().filter((key) => {
        const isExtra = !wanted.values.has(originalOf(key)) || seen.has(originalOf(key));
        seen.add(originalOf(key));
        return isExtra;
      });
    },
    isCrashPoint: (call) => call.process === 'mirror' && call.ordinal <= 5,
  };
}

/** The store adds a number to what is made with POST. */
const originalOf = (key: string) => key.replace(/-copy-\d+$/, '');

async function run(mirror: Incarnation, habit: MirrorHabit): Promise<void> {
  const wanted = mirror.connect('wanted');
  const cloud = mirror.connect('cloud');
  /** Wanted key to the copy that this life made of it. */
  const made = new Map<string, string>();
  for (;;) {
    try {
      const [want, have] = [await list(mirror, wanted), await list(mirror, cloud)];
      if (habit === 'trusts-memory') await stepFromMemory(mirror, cloud, want, have, made);
      else await step(mirror, cloud, habit, want, have);
      await sleep(mirror.clock, 1000);
    } catch {
      if (habit === 'gives-up') return;
      await sleep(mirror.clock, 500);
    }
  }
}

async function step(
  mirror: Incarnation,
  cloud: HttpTransport,
  habit: MirrorHabit,
  want: ReadonlyMap<string, string>,
  have: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [key, value] of want) {
    if (have.get(key) !== value || habit === 'chatty') await call(mirror, cloud, 'PUT', key, value);
  }
  for (const key of have.keys()) {
    if (!want.has(key) && habit !== 'forgets-removals') await call(mirror, cloud, 'DELETE', key);
  }
}

/** Knows its copies only from having made them: what an earlier life made is never removed. */
async function stepFromMemory(
  mirror: Incarnation,
  cloud: HttpTransport,
  want: ReadonlyMap<string, string>,
  have: ReadonlyMap<string, string>,
  made: Map<string, string>,
): Promise<void> {
  for (const [key, copy] of made) {
    if (want.get(key) === have.get(copy)) continue;
    await call(mirror, cloud, 'DELETE', copy);
    made.delete(key);
  }
  for (const [key, value] of want) {
    if (!made.has(key)) made.set(key, await call(mirror, cloud, 'POST', `${key}-copy`, value));
  }
}

async function list(mirror: Incarnation, transport: HttpTransport): Promise<ReadonlyMap<string, string>> {
  const pairs: [string, string][] = JSON.parse(await call(mirror, transport, 'GET', ''));
  return new Map(pairs);
}

async function call(
  mirror: Incarnation,
  transport: HttpTransport,
  method: HttpRequest['method'],
  key: string,
  body?: string,
): Promise<string> {
  const patience = new AbortController();
  const timer = mirror.clock.setTimer(PATIENCE_MILLISECONDS, () => patience.abort(new Error('no answer')));
  const request = { method, url: `http://store/${key}`, headers: {}, signal: patience.signal };
  try {
    const response = await transport.send(body === undefined ? request : { ...request, body });
    const text = await readText(response);
    if (response.status !== 200) throw new Error(`${method} ${key}: ${response.status}`);
    return text;
  } finally {
    timer.cancel();
  }
}
