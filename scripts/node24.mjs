// Runs a program of this repository on Node 24 or newer: the system's when it is new enough, else the one that
// `npm run setup` installed. Plain JavaScript, because it must itself run on an older Node.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_MAJOR = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The path of a new enough Node, or undefined when there is none. */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR) return process.execPath;
  const installed = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  return existsSync(installed) ? installed : undefined;
}

function main() {
  const node = findNode();
  if (node === undefined) {
    console.error(
      `Fairlead needs Node ${OLDEST_MAJOR} or newer; this is ${process.version}. ` +
        'Run `npm run setup`, or install a newer Node and try again.',
    );
    process.exit(1);
  }
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` },
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
  child.on('error', (error) => {
    console.error(`Could not start ${node}: ${error.message}`);
    process.exit(1);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
