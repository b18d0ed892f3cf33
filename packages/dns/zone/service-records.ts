import type { ImportType, ServiceImport } from '@fairlead/clusterset/mcs';
import type { IpAddress } from '@fairlead/control';
import { isLabel, isName, type RecordData } from '../wire/index.ts';
import { clusterShares, type ClusterShare, honouredImports, type ServedEndpoint } from './cluster-share.ts';
import { importedAddresses, importedPorts, portKey, type ServedPort } from './imported.ts';
import { type AnswerOrder, FIXED, type NamedRecords, type RecordSet } from './record-set.ts';
import { schedule } from './schedule.ts';
import type { ServiceView } from './service-view.ts';
import { MOST_SLICES } from './slice-store.ts';
import type { ZoneSettings } from './settings.ts';

/** What the zone has of a Service, and what each cluster has to do with it. */
export interface ServiceRecords {
  readonly names: NamedRecords;
  /** Undefined where no ServiceImport is there. */
  readonly type: ImportType | undefined;
  readonly shares: readonly ClusterShare[];
  /** Of the Service as a whole, and why. */
  readonly leftOut: readonly string[];
}

/** An address and whose it is. */
interface Owned {
  readonly address: IpAddress;
  readonly share: ClusterShare;
}

type AddressType = 'A' | 'AAAA';
const ADDRESS_TYPES: readonly AddressType[] = ['A', 'AAAA'];

export function serviceRecords(view: ServiceView, settings: ZoneSettings): ServiceRecords {
  const older = honouredImports(view, settings);
  const type = view.serviceImport?.spec.type ?? older[0]?.spec.type;
  // A name with a dot is not that of a Service: clusters keep records of their own under such names.
  const isService = isLabel(view.name) && isLabel(view.namespace);
  if (type === undefined || !isService) return { names: new Map(), type: undefined, shares: [], leftOut: [] };
  const shares = clusterShares(view, type, settings);
  const imported = view.serviceImport === undefined ? undefined : boundedImport(view.serviceImport);
  const ports = imported?.ports ?? commonPorts(older.map(({ spec }) => importedPorts(spec).ports));
  const base = `${view.name}.${view.namespace}.svc.${settings.zone}`;
  const names = new Names(settings.seconds);
  const made = { base, shares, ports, settings, names };
  if (type === 'Headless') addHeadless(made);
  else addClusterSetIp(made, imported?.addresses ?? []);
  return { names: names.all, type, shares, leftOut: [...(imported?.leftOut ?? []), ...otherSlices(view)] };
}

/** Of the Service as a whole. */
function boundedImport({ spec }: ServiceImport) {
  const { ports, leftOut: otherPorts } = importedPorts(spec);
  const { addresses, leftOut: otherAddresses } = importedAddresses(spec);
  return { ports, addresses: addresses.map(({ address }) => address), leftOut: [...otherPorts, ...otherAddresses] };
}

function otherSlices({ slicesBeyond = 0 }: ServiceView): readonly string[] {
  return slicesBeyond === 0 ? [] : [`${slicesBeyond} EndpointSlices: they are more than ${MOST_SLICES}`];
}

interface Making {
  readonly base: string;
  readonly shares: readonly ClusterShare[];
  /** Of the Service as a whole. */
  readonly ports: readonly ServedPort[];
  readonly settings: ZoneSettings;
  readonly names: Names;
}

/** One address in each reply: that of the clusterset, of this cluster, or of the others in turn. */
function addClusterSetIp({ base, shares, ports, settings, names }: Making, clusterSetIps: readonly IpAddress[]): void {
  const chosen = candidates(shares, settings);
  names.add(base);
  for (const type of ADDRESS_TYPES) {
    const own = clusterSetIps.filter((address) => isOf(address, type));
    if (clusterSetIps.length > 0) names.addAddresses(base, type, own, FIXED);
    else addPicked(names, base, type, chosen, settings);
  }
  const isServed = clusterSetIps.length > 0 || chosen.length > 0;
  if (isServed) addServicePorts(names, base, ports);
  if (!settings.clusterSpecificNames) return;
  for (const share of shares) {
    if (share.endpoints.length === 0 || !share.isNameable) continue;
    const name = `${share.cluster}.${base}`;
    for (const type of ADDRESS_TYPES) names.addAddresses(name, type, addressesOf(share, type), FIXED);
    addServicePorts(names, name, share.ports);
  }
}

/** This cluster alone while it has endpoints; else all that have, but those without weight. */
function candidates(shares: readonly ClusterShare[], { weights }: ZoneSettings): readonly ClusterShare[] {
  const backed = shares.filter(({ endpoints }) => endpoints.length > 0);
  const weighty = backed.filter(({ cluster }) => weights.get(cluster) !== 0);
  const eligible = weighty.length > 0 ? weighty : backed;
  const local = eligible.filter(({ isLocal }) => isLocal);
  return local.length > 0 ? local : eligible;
}

function addPicked(
  names: Names,
  name: string,
  type: AddressType,
  chosen: readonly ClusterShare[],
  { weights }: ZoneSettings,
): void {
  const groups = chosen
    .map((share) => ({ cluster: share.cluster, addresses: addressesOf(share, type) }))
    .filter(({ addresses }) => addresses.length > 0);
  let end = 0;
  const ends = groups.map(({ addresses }) => (end += addresses.length));
  const order: AnswerOrder =
    groups.length < 2
      ? FIXED
      : { kind: 'pick', ends, schedule: schedule(groups.map(({ cluster }) => weights.get(cluster) ?? 1)) };
  const addresses = groups.flatMap((group) => group.addresses);
  names.addAddresses(name, type, addresses, order);
}

/** The whole Service, or one cluster's share, under its own name. */
function addServicePorts(names: Names, target: string, ports: readonly ServedPort[]): void {
  if (!isName(target)) return;
  for (const port of ports) {
    names.addTarget(target, target, port.port);
    names.addTarget(portName(port, target), target, port.port);
  }
}

/** All ready endpoints in each reply, this cluster's first; and each under its own name. */
function addHeadless({ base, shares, ports, settings, names }: Making): void {
  const wanted = new Set(ports.map(({ name, protocol }) => `${name} ${protocol}`));
  const clusterNames = new Set(shares.map(({ cluster }) => `${cluster}.${base}`));
  for (const type of ADDRESS_TYPES) addRotated(names, base, type, shares);
  for (const share of shares) {
    if (!share.isNameable) continue;
    const cluster = `${share.cluster}.${base}`;
    if (settings.clusterSpecificNames) {
      for (const type of ADDRESS_TYPES) addRotated(names, cluster, type, [share]);
    }
    for (const endpoint of share.endpoints) {
      const target = `${endpoint.host}.${cluster}`;
      const type = isOf(endpoint.address, 'A') ? 'A' : 'AAAA';
      // A cluster whose name has a dot may be called as a host of another is: the cluster has the name.
      if (!clusterNames.has(target)) names.addAddresses(target, type, [endpoint.address], FIXED);
      if (!isName(target)) continue;
      addEndpointPorts(names, base, endpoint, target, (port) => wanted.has(`${port.name} ${port.protocol}`));
      if (settings.clusterSpecificNames) addEndpointPorts(names, cluster, endpoint, target, () => true);
    }
  }
}

function addEndpointPorts(
  names: Names,
  name: string,
  { ports }: ServedEndpoint,
  target: string,
  isWanted: (port: ServedPort) => boolean,
): void {
  for (const port of ports.filter(isWanted)) {
    names.addTarget(name, target, port.port);
    names.addTarget(portName(port, name), target, port.port);
  }
}

function addRotated(names: Names, name: string, type: AddressType, shares: readonly ClusterShare[]): void {
  const owned = new Map<IpAddress, Owned>();
  for (const share of shares) {
    for (const address of addressesOf(share, type)) if (!owned.has(address)) owned.set(address, { address, share });
  }
  const preferred = [...owned.values()].filter(({ share }) => share.isLocal).length;
  names.addAddresses(name, type, [...owned.keys()], { kind: 'rotate', preferred });
}

function addressesOf({ endpoints }: ClusterShare, type: AddressType): readonly IpAddress[] {
  return [...new Set(endpoints.map(({ address }) => address))].filter((address) => isOf(address, type));
}

function isOf(address: IpAddress, type: AddressType): boolean {
  return address.includes(':') === (type === 'AAAA');
}

/** Undefined for a port without a name, or with one that no name can have. */
function portName({ name, protocol }: ServedPort, under: string): string | undefined {
  const label = `_${name}`;
  return name === '' || !isLabel(label) ? undefined : `${label}._${protocol.toLowerCase()}.${under}`;
}

/** Those that all of them have: what the aggregate will say once there is one. */
function commonPorts(all: readonly (readonly ServedPort[])[]): readonly ServedPort[] {
  const [first = [], ...others] = all;
  const keys = others.map((ports) => new Set(ports.map(portKey)));
  return first.filter((port) => keys.every((one) => one.has(portKey(port))));
}

/** Of one type, by what makes each of them distinct. */
interface Collected {
  order: AnswerOrder;
  readonly records: Map<string, RecordData>;
}

/** Collects records by name, each once. What cannot be a name, for its length or its letters, is left out. */
class Names {
  readonly #seconds: number;
  readonly #sets = new Map<string, Map<RecordSet['type'], Collected>>();

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  get all(): NamedRecords {
    const seconds = this.#seconds;
    return new Map(
      [...this.#sets].map(([name, sets]) => [
        name,
        [...sets].map(([type, { order, records }]) => ({ type, seconds, records: [...records.values()], order })),
      ]),
    );
  }

  /** The name is there, even if nothing else is said of it. */
  add(name: string): Map<RecordSet['type'], Collected> | undefined {
    const known = this.#sets.get(name);
    if (known !== undefined) return known;
    if (!isName(name)) return undefined;
    const created = new Map<RecordSet['type'], Collected>();
    this.#sets.set(name, created);
    return created;
  }

  addAddresses(name: string, type: AddressType, addresses: readonly IpAddress[], order: AnswerOrder): void {
    if (addresses.length === 0) return;
    const collected = this.#collect(name, type);
    if (collected === undefined) return;
    collected.order = order;
    for (const address of addresses) collected.records.set(address, { type, address });
  }

  /** `target` must be a name: there are as many of these calls as endpoints times ports, and looking takes longest. */
  addTarget(name: string | undefined, target: string, port: number): void {
    if (name === undefined) return;
    const record: RecordData = { type: 'SRV', priority: 0, weight: 100, port, target };
    this.#collect(name, 'SRV')?.records.set(`${port} ${target}`, record);
  }

  #collect(name: string, type: RecordSet['type']): Collected | undefined {
    const sets = this.add(name);
    const known = sets?.get(type);
    if (sets === undefined || known !== undefined) return known;
    const created: Collected = { order: FIXED, records: new Map() };
    sets.set(type, created);
    return created;
  }
}
