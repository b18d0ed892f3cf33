// Makes a fresh clone ready; takes no time when it is. Plain JavaScript without dependencies, for a Node older than the
// one it installs.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, npmCommand, packagesAreInstalled } from './npm-packages.mjs';
import { oneAtATime } from './setup-lock.mjs';
import { installSystemPackages, missingPackages } from './system-packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const flags = new Set(process.argv.slice(2));
const isQuiet = flags.has('--quiet');
const withTestTools = !flags.has('--without-test-tools');

/** @param {string} line */
const report = (line) => console.error(`setup: ${line}`);

async function main() {
  const missing = () => (withTestTools ? missingPackages() : []);
  if (packagesAreInstalled(root) && missing().length === 0) {
    if (!isQuiet) report('nothing to do');
    return;
  }
  const onWait = () => report('another process is setting up this checkout, waiting');
  await oneAtATime(root, onWait, async (holdFor) => {
    if (!packagesAreInstalled(root)) await installPackages(root, npmCommand(), report, holdFor);
    for (const { name, neededBy } of missing()) report(`${name} is missing, needed by ${neededBy}`);
    const toRun = installSystemPackages(missing());
    // Not a failure: everything else works without them, and the tests that need them will say so.
    if (toRun !== undefined) report(`please run: ${toRun}`);
  });
}

main().catch((error) => {
  report(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
