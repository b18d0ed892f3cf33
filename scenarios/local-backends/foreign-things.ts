import { isDeepStrictEqual } from 'node:util';
import {
  armId,
  childArmId,
  type LoadBalancer,
  type NetworkSecurityGroup,
  type SecurityRule,
} from '@fairlead/azure/arm';
import { CLOUD, GROUP } from '../azure.ts';
import { type AzureView, isLoadBalancer, isSecurityGroup, loadBalancerPath, SECURITY_GROUP } from './azure-view.ts';

/** As this part names and marks things, for another cluster in the same resource group. */
const OTHER_CLUSTERS = 'shop-web-0123456789abcdef01';
const ELSEWHERE = loadBalancerPath('elsewhere');
const OTHER_ADDRESS = armId('publicIPAddresses', GROUP, OTHER_CLUSTERS);
const SUBNET = childArmId('subnets', armId('virtualNetworks', GROUP, CLOUD.vnetName), CLOUD.subnetName);

/** Services whose users have an address of their own for them. */
const OWNERS = ['web', 'api', 'dns', 'mail'];

interface ForeignEntry {
  readonly loadBalancer: string;
  readonly pool: string;
  readonly name: string;
}

const OWN_TAGS = { owner: 'shop' };

/** The public address that the user of the Service has made for it. */
export function ownAddressName(service: string): string {
  return `own-${service}`;
}

/** What others have in Azure, some of it right inside of what is ours: it stays as they put it. */
export class ForeignThings {
  readonly #azure: AzureView;
  /** What must stay untouched from beginning to end -> its etag, which changes with everything else. */
  readonly #untouched: ReadonlyMap<string, unknown>;
  readonly #rules = new Map<string, string>();
  #entries: readonly ForeignEntry[] = [];
  #securityRules: readonly SecurityRule[] = [];
  #count = 0;
  #checked = '';

  constructor(azure: AzureView) {
    this.#azure = azure;
    const { location } = CLOUD;
    const tags = { 'fairlead-cluster': 'c2', 'fairlead-part': 'azure-local', 'fairlead-service': 'u1' };
    const address = { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4' };
    for (const service of OWNERS) {
      const id = armId('publicIPAddresses', GROUP, ownAddressName(service));
      azure.put(id, { location, sku: { name: 'Standard' }, tags: OWN_TAGS, properties: address });
    }
    azure.put(OTHER_ADDRESS, { location, sku: { name: 'Standard' }, tags, properties: address });
    const backendAddressPools = [{ name: OTHER_CLUSTERS, properties: {} }];
    azure.put(ELSEWHERE, { location, sku: { name: 'Standard' }, properties: { backendAddressPools } });
    this.#untouched = new Map([OTHER_ADDRESS, ELSEWHERE].map((path) => [path, this.#etagOf(path)]));
    this.addSecurityRule(`${OTHER_CLUSTERS}-allow-tcp`, 501);
    this.addSecurityRule('theirs', 4096);
  }

  addSecurityRule(name: string, priority: number): void {
    const taken = this.#azure.securityRules.map(({ properties }) => properties.priority);
    if (taken.includes(priority) || this.#securityRules.some((rule) => rule.name === name)) return;
    const common = { direction: 'Inbound', access: 'Allow', protocol: 'Tcp', sourcePortRange: '*' } as const;
    const where = { sourceAddressPrefix: '*', destinationAddressPrefix: '10.99.0.1', destinationPortRange: '22' };
    const rule: SecurityRule = { name, properties: { ...common, ...where, priority } };
    const added = (group: NetworkSecurityGroup) => {
      this.#securityRules = [...this.#securityRules, rule];
      const { securityRules = [] } = group.properties;
      return { ...group, properties: { ...group.properties, securityRules: [...securityRules, rule] } };
    };
    this.#azure.edit(SECURITY_GROUP, added, isSecurityGroup);
  }

  /** An entry in a pool of ours, for a machine that is no node of the cluster. */
  addEntry(loadBalancer: string, pool: string): void {
    this.#count += 1;
    const name = `machine-${this.#count}`;
    const entry = { name, properties: { ipAddress: `10.77.0.${this.#count}` } };
    const added = (body: LoadBalancer) => {
      this.#entries = [...this.#entries, { loadBalancer, pool, name }];
      const backendAddressPools = (body.properties.backendAddressPools ?? []).map((part) => {
        if (part.name !== pool) return part;
        const { loadBalancerBackendAddresses: entries = [] } = part.properties;
        return { ...part, properties: { ...part.properties, loadBalancerBackendAddresses: [...entries, entry] } };
      });
      return { ...body, properties: { ...body.properties, backendAddressPools } };
    };
    this.#azure.edit(loadBalancerPath(loadBalancer), added, isLoadBalancer);
  }

  /** A rule with frontend and pool on a load balancer that is ours. */
  addRule(loadBalancer: string): void {
    if (this.#rules.has(loadBalancer)) return;
    this.#count += 1;
    const name = `theirs-${this.#count}`;
    const path = loadBalancerPath(loadBalancer);
    const added = (body: LoadBalancer) => {
      const { frontendIPConfigurations = [], backendAddressPools = [], loadBalancingRules = [] } = body.properties;
      const rule = {
        protocol: 'Tcp',
        frontendPort: 9000,
        backendPort: 9000,
        frontendIPConfiguration: { id: childArmId('frontendIPConfigurations', path, name) },
        backendAddressPool: { id: childArmId('backendAddressPools', path, name) },
      } as const;
      this.#rules.set(loadBalancer, name);
      return {
        ...body,
        properties: {
          ...body.properties,
          frontendIPConfigurations: [...frontendIPConfigurations, this.#frontend(loadBalancer, name)],
          backendAddressPools: [...backendAddressPools, { name, properties: {} }],
          loadBalancingRules: [...loadBalancingRules, { name, properties: rule }],
        },
      };
    };
    this.#azure.edit(path, added, isLoadBalancer);
  }

  /** An operator deleted the load balancer, and with it what others had on it. */
  forget(loadBalancer: string): void {
    this.#rules.delete(loadBalancer);
    this.#entries = this.#entries.filter((entry) => entry.loadBalancer !== loadBalancer);
  }

  /** What is missing or changed since it was last asked; asked after every step. */
  check(): string | undefined {
    if (this.#checked === this.#azure.version) return undefined;
    this.#checked = this.#azure.version;
    return this.missing();
  }

  missing(): string | undefined {
    for (const [path, etag] of this.#untouched) {
      if (this.#etagOf(path) !== etag) return `${path} is not ours, and was touched`;
    }
    for (const service of OWNERS) {
      const there = this.#azure.publicIps.find(({ name }) => name === ownAddressName(service));
      if (!isDeepStrictEqual(there?.tags, OWN_TAGS)) return `the address ${ownAddressName(service)} is not as it was`;
    }
    for (const rule of this.#securityRules) {
      const there = this.#azure.securityRules.find(({ name }) => name === rule.name);
      if (there?.properties.priority !== rule.properties.priority) return `the security rule ${rule.name} is lost`;
    }
    for (const [loadBalancer, name] of this.#rules) {
      const { loadBalancingRules = [], backendAddressPools = [] } =
        this.#azure.loadBalancer(loadBalancer)?.properties ?? {};
      const isThere = [loadBalancingRules, backendAddressPools].every((list) =>
        list.some((part) => part.name === name),
      );
      if (!isThere) return `the rule ${name} of another owner on ${loadBalancer} is lost`;
    }
    return this.#checkEntries();
  }

  /** A pool takes with it what others put into it. */
  #checkEntries(): string | undefined {
    const pools = this.#azure.ownPools;
    const poolOf = (entry: ForeignEntry) =>
      pools.find(({ loadBalancer, name }) => loadBalancer === entry.loadBalancer && name === entry.pool);
    this.#entries = this.#entries.filter((entry) => poolOf(entry) !== undefined);
    const lost = this.#entries.find((entry) => poolOf(entry)?.entries.every(({ name }) => name !== entry.name));
    return lost === undefined ? undefined : `the entry ${lost.name} of another owner in ${lost.pool} is lost`;
  }

  /** Azure does not mix public and internal frontends. */
  #frontend(loadBalancer: string, name: string) {
    if (loadBalancer === 'inside') {
      return { name, properties: { subnet: { id: SUBNET }, privateIPAllocationMethod: 'Dynamic' } } as const;
    }
    const id = armId('publicIPAddresses', GROUP, name);
    const properties = { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4' };
    this.#azure.put(id, { location: CLOUD.location, sku: { name: 'Standard' }, properties });
    return { name, properties: { publicIPAddress: { id } } } as const;
  }

  #etagOf(path: string): unknown {
    return this.#azure.emulator.resource(path)?.['etag'];
  }
}
