import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @param {string} root */
const sourceOf = (root) => join(root, 'packages', 'dns', 'native', 'batch-udp.c');
/** @param {string} root */
const addonOf = (root) => join(root, 'packages', 'dns', 'native', 'dist', 'batch-udp.node');

/**
 * Whether the addon is there and as new as its source, or cannot be built here.
 * @param {string} root
 */
export function addonIsBuilt(root) {
  const built = statSync(addonOf(root), { throwIfNoEntry: false });
  if (built !== undefined && built.mtimeMs >= statSync(sourceOf(root)).mtimeMs) return true;
  return process.platform !== 'linux' || spawnSync('cc', ['--version']).status !== 0;
}

/**
 * Builds it with the headers of the Node that was installed. Where that fails, everything works without it, only slower.
 * @param {string} root
 * @param {(line: string) => void} report
 */
export function buildAddon(root, report) {
  const addon = addonOf(root);
  const headers = join(root, 'node_modules', `node-linux-${process.arch}`, 'include', 'node');
  mkdirSync(dirname(addon), { recursive: true });
  // Another process may be loading it: it is there as a whole or not at all.
  const made = `${addon}.${process.pid}`;
  const flags = ['-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'];
  const { status, stderr } = spawnSync('cc', [...flags, '-I', headers, sourceOf(root), '-o', made], {
    encoding: 'utf8',
  });
  if (status === 0) renameSync(made, addon);
  else report(`the addon for UDP in batches was not built, the DNS server does without it: ${stderr.split('\n')[0]}`);
}
