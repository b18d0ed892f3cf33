import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Bench, Figures, Progress } from '../bench.ts';
import { nodeProgram } from '../child-process.ts';
import { median, rounded, spread } from '../statistics.ts';
import type { Measurement } from './workload.ts';

const SIZES = [10, 1_000, 2_500, 10_000] as const;
const LARGEST = 10_000;
const CHANGES = 15;
const FLOW_ROUNDS = 7;
const PROGRAM = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url));
const SIDE = fileURLToPath(new URL('side.ts', import.meta.url));

export const gatewayAgentBench: Bench = {
  name: 'gateway-agent',
  description:
    'an agent in a network namespace, over HTTPS: one backend changed among 10 to 10,000 Services with 10 backends each (ch-k8s-lbaas, recorded elsewhere: 71 ms at 10, 1,045 at 1,000, 3,160 at 2,500; it refuses 5,000)',
  targets: [
    ...SIZES.map((size) => ({
      figure: `changeMsAt${size}`,
      atMost: 60,
      why: 'one changed backend is one small transaction',
    })),
    { figure: 'changeSpread', atMost: 2, why: 'and costs the same whatever else there is' },
    { figure: `changeMaxMsAt${LARGEST}`, atMost: 500, why: 'and nothing that the agent does besides holds it up' },
    { figure: 'loadSeconds', atMost: 20, why: 'a gateway that comes back empty serves 10,000 Services soon' },
    { figure: 'restartSeconds', atMost: 3, why: 'an agent that starts over what it left does not list it' },
    { figure: 'restartWrites', atMost: 0, why: 'and has nothing to write' },
    { figure: 'peakMegabytes', atMost: 600, why: 'of the agent and of all that it runs, in each of these' },
    { figure: 'newFlowSpread', atMost: 2, why: 'the first packet of a flow costs the same at 10 and 10,000 Services' },
  ],
  run,
};

async function run(progress: Progress): Promise<Figures> {
  if (process.getuid?.() !== 0) throw new Error('network namespaces need root');
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  const sides: Side[] = [];
  try {
    const { command, parameters } = nodeProgram(PROGRAM, ['gateway', 'certificates']);
    const files = ['--folder', join(folder, 'certificates'), 'bench=127.0.0.1'];
    execFileSync(command, [...parameters, ...files]);
    const figures: Record<string, number> = {};
    const peaks: number[] = [];
    const changes: number[] = [];
    const open = (size: number) => {
      const side = new Side(folder, size);
      sides.push(side);
      return side;
    };
    for (const size of SIZES) {
      progress(`${size} Services`);
      const side = open(size);
      const loaded = await side.measure({ do: 'load', services: size });
      const changed = await side.measure({ do: 'change', times: CHANGES, protocol: 'TCP' });
      const milliseconds = median(changed.each ?? []);
      figures[`changeMsAt${size}`] = rounded(milliseconds);
      figures[`changeMaxMsAt${size}`] = rounded(Math.max(...(changed.each ?? [])));
      changes.push(milliseconds);
      peaks.push(loaded.peakMegabytes ?? Number.NaN, changed.peakMegabytes ?? Number.NaN);
      if (size === LARGEST) {
        figures['loadSeconds'] = rounded((loaded.milliseconds ?? Number.NaN) / 1_000);
        const byUdp = await side.measure({ do: 'change', times: CHANGES, protocol: 'UDP' });
        figures[`changeUdpMsAt${size}`] = rounded(median(byUdp.each ?? []));
        const restarted = await side.measure({ do: 'restart' });
        figures['restartSeconds'] = rounded((restarted.milliseconds ?? Number.NaN) / 1_000);
        figures['restartWrites'] = restarted.writes ?? Number.NaN;
        peaks.push(restarted.peakMegabytes ?? Number.NaN);
      } else if (size !== SIZES[0]) side.end();
    }
    figures['changeSpread'] = rounded(spread(changes));
    figures['peakMegabytes'] = rounded(Math.max(...peaks));
    progress('new flows');
    const [small, large] = [sides[0], sides.at(-1)];
    const costs: [number[], number[]] = [[], []];
    for (let round = 0; round < FLOW_ROUNDS; round += 1) {
      for (const [index, side] of [small, large].entries()) {
        const measured = await side?.measure({ do: 'flows' });
        costs[index === 0 ? 0 : 1].push(measured?.newFlow ?? Number.NaN);
      }
    }
    figures['newFlowMicrosecondsAt10'] = rounded(median(costs[0]));
    figures[`newFlowMicrosecondsAt${LARGEST}`] = rounded(median(costs[1]));
    figures['newFlowSpread'] = rounded(spread([median(costs[0]), median(costs[1])]));
    return figures;
  } finally {
    for (const side of sides) side.end();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Measured {
  readonly milliseconds?: number;
  readonly peakMegabytes?: number;
  readonly each?: readonly number[];
  readonly writes?: number;
  readonly newFlow?: number;
}

/** An agent in a namespace of its own, from which packets to backends go out and are dropped. */
class Side {
  readonly #namespace: string;
  readonly #child: ChildProcess;
  readonly #waiting: PromiseWithResolvers<Measured>[] = [];
  #hasEnded = false;

  constructor(folder: string, size: number) {
    this.#namespace = `flb${process.pid}-${size}`;
    const ip = (...words: readonly string[]) => execFileSync('ip', words);
    const inside = (...words: readonly string[]) => ip('netns', 'exec', this.#namespace, ...words);
    ip('netns', 'add', this.#namespace);
    inside('ip', 'link', 'set', 'lo', 'up');
    inside('ip', 'link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'nowhere');
    inside('ip', 'link', 'set', 'out', 'arp', 'off', 'up');
    inside('ip', 'link', 'set', 'nowhere', 'up');
    inside('ip', 'address', 'add', '10.255.255.1/8', 'dev', 'out');
    inside('ip', 'route', 'add', '100.64.0.0/10', 'dev', 'out');
    const { command, parameters } = nodeProgram(SIDE, [folder, `side-${size}`]);
    this.#child = spawn('ip', ['netns', 'exec', this.#namespace, command, ...parameters], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (this.#child.stdout === null) throw new Error('a side has no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) =>
      this.#waiting.shift()?.resolve(JSON.parse(line)),
    );
    this.#child.once('exit', (code) => {
      for (const waiting of this.#waiting) waiting.reject(new Error(`a side ended with ${code}`));
    });
  }

  measure(measurement: Measurement): Promise<Measured> {
    const waiting = Promise.withResolvers<Measured>();
    this.#waiting.push(waiting);
    this.#child.stdin?.write(`${JSON.stringify(measurement)}\n`);
    return waiting.promise;
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#child.stdin?.end();
    execFileSync('ip', ['netns', 'delete', this.#namespace]);
  }
}
