import type { DemoOutsides, Part } from '@fairlead/part';
import { stringify } from 'yaml';

/** Stands for the addresses of a world that does not run. */
const EXAMPLE: DemoOutsides = {
  azure: 'https://management.azure.com',
  'gateway-1': 'http://127.0.0.1:8443',
  'gateway-2': 'http://127.0.0.1:8444',
  broker: '/etc/fairlead/broker/kubeconfig',
  openstack: '/etc/openstack/clouds.yaml',
};

const NOTE = `# What the demo runs with. While it runs, its own file is beside its kubeconfig; here, the addresses of
# clouds, gateways and the broker are examples.
`;

/** Where the cluster of the demo is, and where health, metrics and the journal are served. */
export interface DemoPlace {
  readonly kubeconfig: string;
  /** `127.0.0.1:8080`; port 0 takes a free one. */
  readonly listen: string;
}

/** The configuration file of the demo, as text. */
export function demoSettings(
  parts: readonly Part[],
  { kubeconfig, listen }: DemoPlace,
  outsides: DemoOutsides,
): string {
  return stringify({ kubernetes: { kubeconfig }, http: { listen }, parts: sections(parts, outsides) });
}

/** One to begin with: all of it but the addresses is what the demo runs with. */
export function exampleSettings(parts: readonly Part[]): string {
  return NOTE + stringify({ http: { listen: '127.0.0.1:8080' }, parts: sections(parts, EXAMPLE) }).trimEnd();
}

function sections(parts: readonly Part[], outsides: DemoOutsides): object {
  return Object.fromEntries(
    parts.flatMap(({ name, demo }) => (demo === undefined ? [] : [[name, demo.configuration(outsides)]])),
  );
}
