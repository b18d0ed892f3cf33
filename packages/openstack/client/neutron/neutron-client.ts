import { unexpectedAnswer } from '@fairlead/cloud';
import { z } from 'zod';
import { type Filter, ResourceApi, type ResourceKind, type UpdateOptions } from '../api/resource-api.ts';
import type { CallOptions, OpenStackSession } from '../api/session.ts';
import {
  type FloatingIp,
  type FloatingIpChanges,
  floatingIps,
  type FloatingIpRequest,
  type Network,
  networks,
  type Port,
  type PortChanges,
  type PortRequest,
  ports,
  type SecurityGroup,
  type SecurityGroupRule,
  type SecurityGroupRuleRequest,
  securityGroupRules,
  securityGroups,
  type Subnet,
  subnets,
} from './types.ts';

const VERSION = 'v2.0';

const extensionsShape = z.object({ extensions: z.array(z.object({ alias: z.string() })) });
const tagsShape = z.object({ tags: z.array(z.string()) });

/** Neutron, as far as addresses and load balancers need it. Rejects with an OpenStackError when Neutron refuses. */
export class NeutronClient {
  readonly #api: ResourceApi;

  constructor(session: OpenStackSession) {
    this.#api = new ResourceApi(session, 'network', VERSION);
  }

  listNetworks(filter: Filter = {}, options: CallOptions = {}): Promise<readonly Network[]> {
    return this.#api.list(networks, filter, options);
  }

  findNetwork(id: string, options: CallOptions = {}): Promise<Network | undefined> {
    return this.#api.find(networks, id, options);
  }

  listSubnets(filter: Filter = {}, options: CallOptions = {}): Promise<readonly Subnet[]> {
    return this.#api.list(subnets, filter, options);
  }

  findSubnet(id: string, options: CallOptions = {}): Promise<Subnet | undefined> {
    return this.#api.find(subnets, id, options);
  }

  listSecurityGroups(filter: Filter = {}, options: CallOptions = {}): Promise<readonly SecurityGroup[]> {
    return this.#api.list(securityGroups, filter, options);
  }

  listSecurityGroupRules(filter: Filter = {}, options: CallOptions = {}): Promise<readonly SecurityGroupRule[]> {
    return this.#api.list(securityGroupRules, filter, options);
  }

  createSecurityGroupRule(body: SecurityGroupRuleRequest, options: CallOptions = {}): Promise<SecurityGroupRule> {
    return this.#api.create(securityGroupRules, body, options);
  }

  deleteSecurityGroupRule(id: string, options: CallOptions = {}): Promise<void> {
    return this.#api.delete(securityGroupRules, id, options);
  }

  listPorts(filter: Filter = {}, options: CallOptions = {}): Promise<readonly Port[]> {
    return this.#api.list(ports, filter, options);
  }

  findPort(id: string, options: CallOptions = {}): Promise<Port | undefined> {
    return this.#api.find(ports, id, options);
  }

  createPort(body: PortRequest, options: CallOptions = {}): Promise<Port> {
    return this.#api.create(ports, body, options);
  }

  updatePort(id: string, changes: PortChanges, options: UpdateOptions = {}): Promise<Port> {
    return this.#api.update(ports, id, changes, options);
  }

  /** Its floating IP stays, without a port. */
  deletePort(id: string, options: UpdateOptions = {}): Promise<void> {
    return this.#api.delete(ports, id, options);
  }

  listFloatingIps(filter: Filter = {}, options: CallOptions = {}): Promise<readonly FloatingIp[]> {
    return this.#api.list(floatingIps, filter, options);
  }

  findFloatingIp(id: string, options: CallOptions = {}): Promise<FloatingIp | undefined> {
    return this.#api.find(floatingIps, id, options);
  }

  createFloatingIp(body: FloatingIpRequest, options: CallOptions = {}): Promise<FloatingIp> {
    return this.#api.create(floatingIps, body, options);
  }

  updateFloatingIp(id: string, changes: FloatingIpChanges, options: UpdateOptions = {}): Promise<FloatingIp> {
    return this.#api.update(floatingIps, id, changes, options);
  }

  deleteFloatingIp(id: string, options: UpdateOptions = {}): Promise<void> {
    return this.#api.delete(floatingIps, id, options);
  }

  /** Makes these the tags of a port; others than these go. */
  setPortTags(id: string, tags: readonly string[], options: CallOptions = {}): Promise<readonly string[]> {
    return this.#setTags(ports, id, tags, options);
  }

  /** Makes these the tags of a floating IP; others than these go. */
  setFloatingIpTags(id: string, tags: readonly string[], options: CallOptions = {}): Promise<readonly string[]> {
    return this.#setTags(floatingIps, id, tags, options);
  }

  /** What this Neutron can do beyond the core: `revision-if-match`, `allowed-address-pairs`, `standard-attr-tag`. */
  async extensions(options: CallOptions = {}): Promise<ReadonlySet<string>> {
    const call = { verb: 'LIST', kind: 'extensions', subject: '', method: 'GET', path: 'extensions' } as const;
    const { body } = await this.#api.send(call, options);
    const parsed = extensionsShape.safeParse(body);
    if (parsed.success) return new Set(parsed.data.extensions.map(({ alias }) => alias));
    throw unexpectedAnswer('Neutron', 'LIST extensions', 'lists no extensions');
  }

  async #setTags(
    { path }: ResourceKind<{ readonly id: string }>,
    id: string,
    tags: readonly string[],
    options: CallOptions,
  ): Promise<readonly string[]> {
    const where = { method: 'PUT', path: `${path}/${encodeURIComponent(id)}/tags`, body: { tags } } as const;
    const { body } = await this.#api.send({ verb: 'PUT', kind: 'tags', subject: id, ...where }, options);
    const parsed = tagsShape.safeParse(body);
    if (parsed.success) return parsed.data.tags;
    throw unexpectedAnswer('Neutron', `PUT tags/${id}`, 'lists no tags');
  }
}
