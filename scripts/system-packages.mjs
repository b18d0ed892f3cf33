import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A Debian package, the command by which it is known to be there, and the tests that need it.
 * @typedef {{ name: string, command: string, neededBy: string }} SystemPackage
 */

/**
 * What the tests need of the system, and nothing that no test needs. Go is not here: Debian's is too old, and
 * `go-toolchain.ts` says what to do without it.
 * @type {readonly SystemPackage[]}
 */
const systemPackages = [
  { name: 'iproute2', command: 'ip', neededBy: 'the tests of gateways in network namespaces' },
  { name: 'nftables', command: 'nft', neededBy: 'the tests of gateways in network namespaces' },
  { name: 'keepalived', command: 'keepalived', neededBy: 'the tests of gateways in network namespaces' },
  { name: 'conntrack', command: 'conntrack', neededBy: 'the tests of gateways in network namespaces' },
  { name: 'bind9-dnsutils', command: 'dig', neededBy: 'the end-to-end tests of DNS' },
];

/** Another installation may be under way; a new machine often does one by itself. */
const LOCK_SECONDS = 120;
/** Administrators' commands are often missing from a user's PATH. */
const MORE_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * @param {readonly SystemPackage[]} packages
 * @param {string} path
 */
export function missingPackages(packages = systemPackages, path = process.env.PATH ?? '') {
  const folders = [...path.split(delimiter), ...MORE_FOLDERS];
  return packages.filter(({ command }) => !folders.some((folder) => isExecutable(join(folder, command))));
}

/**
 * Installs them where this user may; else returns the command that somebody who may has to run.
 * @param {readonly SystemPackage[]} missing
 * @param {{ runsAsRoot: boolean, isDebian: boolean, run: (command: readonly string[]) => boolean }} system
 * @returns {string | undefined}
 */
export function installSystemPackages(missing, system = thisSystem()) {
  if (missing.length === 0) return undefined;
  const names = missing.map(({ name }) => name);
  if (!system.isDebian) return `your system's package manager, for what Debian calls ${names.join(', ')}`;
  const forPeople = `sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${names.join(' ')}`;
  const install = [
    'apt-get',
    '-o',
    `DPkg::Lock::Timeout=${LOCK_SECONDS}`,
    'install',
    '--yes',
    '--no-install-recommends',
  ];
  if (!system.runsAsRoot) return forPeople;
  // A stale package list is the usual reason why an installation fails, and refreshing it the slow part.
  if (system.run([...install, ...names])) return undefined;
  return system.run(['apt-get', 'update']) && system.run([...install, ...names]) ? undefined : forPeople;
}

function thisSystem() {
  return {
    runsAsRoot: process.getuid?.() === 0,
    isDebian: existsSync('/etc/debian_version'),
    run: runVisibly,
  };
}

/**
 * @param {readonly string[]} command
 * @returns {boolean}
 */
function runVisibly([program = '', ...parameters]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(program, parameters, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
