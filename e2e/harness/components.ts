import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildGo } from '../../scripts/go-build.ts';
import { helmBinary } from '../../scripts/helm.ts';
import { openStackInstallation } from '../openstack/installation.ts';

const clusterModule = fileURLToPath(new URL('../cluster', import.meta.url));
const corednsModule = fileURLToPath(new URL('../coredns', import.meta.url));

/** The control plane of `e2e/cluster`. */
export async function clusterBinary(): Promise<string> {
  return buildGo({ name: 'cluster', directory: clusterModule, ldflags: await kubernetesVersionFlags() });
}

/** kubectl of the same release as the control plane. */
export async function kubectlBinary(): Promise<string> {
  const ldflags = await kubernetesVersionFlags();
  return buildGo({ name: 'kubectl', directory: clusterModule, packagePath: './kubectl', ldflags });
}

/** CoreDNS with what it needs to forward, of `e2e/coredns`. */
export function coreDnsBinary(): Promise<string> {
  return buildGo({ name: 'coredns', directory: corednsModule });
}

/** Prints the schemas of the built-in kinds of the same release. */
export function schemasBinary(): Promise<string> {
  return buildGo({ name: 'schemas', directory: clusterModule, packagePath: './schemas' });
}

/** Builds all that the end-to-end tests run against; minutes the first time, an instant later. */
export async function buildComponents(): Promise<void> {
  await clusterBinary();
  await kubectlBinary();
  await schemasBinary();
  await coreDnsBinary();
  await helmBinary();
  await openStackInstallation();
}

/** Kubernetes learns its version from the linker; without this it calls itself v0.0.0-master. */
async function kubernetesVersionFlags(): Promise<string[]> {
  const module = await readFile(`${clusterModule}/go.mod`, 'utf8');
  const version = /^\tk8s\.io\/kubernetes (v(\d+)\.(\d+)\.\d+)$/m.exec(module);
  if (version === null) throw new Error('e2e/cluster/go.mod names no version of k8s.io/kubernetes');
  const [, full, major, minor] = version;
  const variables = { gitVersion: full, gitMajor: major, gitMinor: minor };
  return Object.entries(variables).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
}
