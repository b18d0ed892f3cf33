import { administrator, startCluster } from '../harness/index.ts';

import { type Finding, Fuzzer } from './fuzzer.ts';
import { type FuzzOptions, parseOptions, USAGE } from './options.ts';
import { sceneText } from './scene-text.ts';
import { RealSide } from './sides.ts';

const MILLISECONDS_PER_MINUTE = 60_000;
const SEEDS_ABOVE = 1_000_000;

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else process.exitCode = await run(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

async function run(options: FuzzOptions): Promise<number> {
  const cluster = await startCluster();
  const transport = await administrator(cluster.kubeconfigPath);
  try {
    const real = new RealSide(transport, cluster.url, 'fuzz');
    await real.prepare();
    return await search(new Fuzzer(real), options);
  } finally {
    await transport.close();
    await cluster.stop();
  }
}

/** Returns the exit code. Of findings that look alike only the first is shown. */
async function search(fuzzer: Fuzzer, { minutes, seeds, known, seed }: FuzzOptions): Promise<number> {
  const first = seed ?? Math.floor(Math.random() * SEEDS_ABOVE);
  const end = Date.now() + minutes * MILLISECONDS_PER_MINUTE;
  const isOver = (count: number): boolean => (seeds === undefined ? Date.now() >= end : count >= seeds);
  const alike = new Map<string, number>();
  let count = 0;
  for (; !isOver(count); count += 1) {
    const finding = await fuzzer.run(first + count);
    if (finding === undefined) continue;
    const before = alike.get(finding.signature) ?? 0;
    alike.set(finding.signature, before + 1);
    if (before === 0) show(finding, await fuzzer.shrunk(finding));
  }
  console.log(`${count} seeds from ${first}, ${fuzzer.requests} requests to each, ${alike.size} differences`);
  if (fuzzer.unanswered > 0) console.log(`${fuzzer.unanswered} of them without an answer: the connection broke`);
  if (known) for (const [{ what }, times] of fuzzer.known) console.log(`${String(times).padStart(6)} known: ${what}`);
  return alike.size === 0 ? 0 : 1;
}

function show(finding: Finding, shrunk: Finding | undefined): void {
  const { seed, requests, difference } = shrunk ?? finding;
  console.log(`\nseed ${seed}${shrunk === undefined ? ' (it did not show again)' : ''}: ${finding.signature}`);
  console.log(sceneText(seed, requests));
  console.log(`simulated: ${JSON.stringify(difference.simulated)}`);
  console.log(`real:      ${JSON.stringify(difference.real)}\n`);
}
