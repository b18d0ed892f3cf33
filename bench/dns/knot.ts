import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackedDebian } from '../../scripts/debian-packages.ts';
import type { Report } from '../../scripts/progress.ts';
import type { Program } from '../child-process.ts';
import { inFolder } from './load.ts';
import { type ClusterSetSize, clusterSetServices, NAMESPACE } from './objects.ts';

const LIBRARIES = [
  'libbpf1',
  'libcap-ng0',
  'libdnssec9',
  'libedit2',
  'libgnutls30',
  'libknot13',
  'liblmdb0',
  'liburcu8',
  'libxdp1',
  'libzscanner4',
];

/** Knot DNS with the same addresses in a zone and one worker: what a server in C takes that looks up and copies, too. */
export async function knot(size: ClusterSetSize, port: number, folder: string, report: Report): Promise<Program> {
  const installed = await unpackedDebian('knot', ['knot', ...LIBRARIES], report);
  const place = join(folder, 'knot');
  await mkdir(place);
  await writeFile(join(place, 'zone'), zone(size));
  const file = join(place, 'knot.conf');
  const lines = [
    'server:',
    `  rundir: "${place}"`,
    `  listen: 127.0.0.1@${port}`,
    '  udp-workers: 1',
    '  tcp-workers: 1',
    '  background-workers: 1',
    'database:',
    `  storage: "${place}"`,
    'zone:',
    '  - domain: clusterset.local',
    `    file: "${join(place, 'zone')}"`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return { command: 'env', parameters: inFolder(installed, 'sbin/knotd', ['-c', file]) };
}

function zone(size: ClusterSetSize): string {
  const head = ['$ORIGIN clusterset.local.', '$TTL 5', '@ SOA ns.dns hostmaster 1 7200 1800 86400 5', '@ NS ns.dns'];
  const records = [...clusterSetServices(size)].flatMap(({ name, addresses }) =>
    addresses.map((address) => `${name}.${NAMESPACE}.svc A ${address}`),
  );
  return [...head, 'ns.dns A 127.0.0.1', ...records, ''].join('\n');
}
