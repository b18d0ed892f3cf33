import { type ServiceImport, SERVICE_NAME, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import type { EndpointSlice } from '@fairlead/kube';
import { Counts, Responder, type Transport } from '../server/index.ts';
import { NameTable, ZoneIndex, type ZoneSettings } from '../zone/index.ts';

const SEED = 7;

export const testSettings: ZoneSettings = {
  zone: 'clusterset.local',
  seconds: 5,
  clusterSpecificNames: true,
  weights: new Map(),
  olderClusters: [],
  olderNamespace: 'old',
  nameServerAddresses: ['10.96.0.53'],
  serial: 1,
};

export function testImport(name: string, type: 'ClusterSetIP' | 'Headless' = 'ClusterSetIP'): ServiceImport {
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }] as const;
  return { metadata: { namespace: 'shop', name }, spec: { type, ports } };
}

export function testSlice(name: string, cluster: string, addresses: readonly string[]): EndpointSlice {
  const labels = { [SERVICE_NAME]: name, [SOURCE_CLUSTER]: cluster };
  return {
    metadata: { namespace: 'shop', name: `${name}.ipv4.${cluster}`, labels },
    addressType: 'IPv4',
    endpoints: addresses.map((address) => ({ addresses: [address] })),
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  };
}

/** What is in a zone: ServiceImports and EndpointSlices. */
export interface ZoneObjects {
  readonly imports: readonly ServiceImport[];
  readonly slices: readonly EndpointSlice[];
}

/** `web` in the clusters `a` and `b`, and headless `db` with 60 pods. */
const usual: ZoneObjects = {
  imports: [testImport('web'), testImport('db', 'Headless')],
  slices: [
    testSlice('web', 'a', ['10.1.0.1']),
    testSlice('web', 'b', ['10.2.0.1']),
    testSlice(
      'db',
      'a',
      Array.from({ length: 60 }, (_, host) => `10.9.0.${host}`),
    ),
  ],
};

/** A zone, and what answers for it. */
export class TestZone {
  readonly counts = new Counts();
  readonly index: ZoneIndex;
  readonly responder: Responder;
  readonly #out = Buffer.alloc(65_535);

  constructor(
    { forwards = false, ...settings }: Partial<ZoneSettings> & { readonly forwards?: boolean } = {},
    { imports, slices }: ZoneObjects = usual,
  ) {
    const wanted = { ...testSettings, ...settings };
    const table = new NameTable(wanted.zone, SEED);
    this.index = new ZoneIndex(wanted, table);
    for (const one of imports) this.index.setImport(one);
    for (const one of slices) this.index.setSlice(one);
    this.index.flush();
    const { counts } = this;
    this.responder = new Responder({ settings: wanted, table, counts, seed: SEED, udpBytes: 1_232, forwards });
    this.responder.isReady = true;
  }

  /** The reply, or what there is instead of one. */
  ask(query: Buffer, transport: Transport = 'udp'): Buffer {
    return Buffer.from(this.#out.subarray(0, Math.max(0, this.outcome(query, transport))));
  }

  outcome(query: Buffer, transport: Transport = 'udp'): number {
    return this.responder.respond(query, this.#out, transport);
  }
}
