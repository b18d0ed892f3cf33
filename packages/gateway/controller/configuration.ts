import { FairleadError, messageOf } from '@fairlead/control';
import { parse } from 'yaml';
import { z } from 'zod';
import type { CloudSections } from './addresses/address-provider.ts';
import { DEFAULT_POOL } from './addresses/l2-port.ts';
import { expandAddresses } from './addresses/static-addresses.ts';
import type { Pool } from './pools.ts';

/** Says what is wrong with the entries, if anything. */
function problemOf(entries: readonly string[]): string | undefined {
  try {
    expandAddresses(entries);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const addressEntry = z.string().superRefine((entry, context) => {
  const message = problemOf([entry]);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const namespaceLimits = z
  .strictObject({
    addresses: z.int().min(1).optional().describe('Addresses that the Services of a namespace may be on.'),
    addressesPerPort: z
      .int()
      .min(1)
      .optional()
      .describe('Addresses on which the Services of a namespace may have the same port number and protocol.'),
    exclusiveAddresses: z
      .int()
      .min(0)
      .optional()
      .describe('Addresses that the Services of a namespace may keep to themselves.'),
  })
  .prefault({});

const addresses = z
  .array(addressEntry)
  .min(1, 'is empty: name at least one address, such as 192.0.2.10')
  .superRefine((entries, context) => {
    // One that is wrong by itself was told as such.
    if (entries.some((entry) => problemOf([entry]) !== undefined)) return;
    const message = problemOf(entries);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .describe('Addresses to give out: single ones, CIDRs, or ranges such as 192.0.2.10-192.0.2.20, of either family.');

const gateway = z.strictObject({
  name: z.string().min(1).describe('What messages call it; the same name in two pools is one gateway.'),
  url: z.url({ protocol: /^https?$/ }).describe('Where its agent listens: https, or http on the loopback interface.'),
});

/** What the one unnamed pool and each named one can say of itself. */
const poolFields = {
  gateways: z
    .array(gateway)
    .default([])
    .describe('The agents that serve the addresses. Without any, Fairlead gives addresses and programs no gateway.'),
  backends: z
    .enum(['pods', 'node-ports', 'cluster-ips'])
    .default('pods')
    .describe('Where gateways send connections; a Service can ask for another by annotation.'),
  preserveClientAddress: z
    .boolean()
    .default(false)
    .describe('Whether backends see the address of the client; they must answer through the gateway then.'),
  programmedWhen: z
    .enum(['any', 'all'])
    .default('any')
    .describe('How many gateways have to confirm a Service before it is told to be programmed.'),
};

const serviceSelector = z
  .strictObject({
    namespaces: z.array(z.string()).optional().describe('Services of these namespaces.'),
    labels: z.record(z.string(), z.string()).optional().describe('Services with all of these labels.'),
  })
  .describe('Services that get their addresses here unless they ask for another pool.');

const namedPool = ({ pool }: CloudSections) =>
  z.strictObject({
    name: z.string().regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'has lower case letters, digits and dashes only'),
    addresses: addresses.optional(),
    openstack: pool.optional().describe('Where OpenStack makes its addresses, in the place of `addresses`.'),
    ...poolFields,
    automatic: z
      .boolean()
      .default(true)
      .describe('Whether Services get their addresses here without asking for the pool by annotation.'),
    selects: serviceSelector.optional(),
    namespaces: z.array(z.string()).optional().describe('Whose Services may use the pool; without it, all may.'),
  });

const certificates = z.strictObject({
  certificateFile: z.string().min(1).describe('What the agents know us by, PEM. Read again when it changes.'),
  keyFile: z.string().min(1).describe('Its key, PEM.'),
  authorityFile: z.string().min(1).describe('The authority that signed the certificates of the agents, PEM.'),
});

/** Where every pool has a list. */
const NO_CLOUD: CloudSections = { cloud: z.never(), pool: z.never() };

export const gatewayConfiguration = (sections = NO_CLOUD) =>
  z
    .strictObject({
      addresses: addresses.optional(),
      ...poolFields,
      pools: z.array(namedPool(sections)).min(1).optional().describe('Several pools, in the place of `addresses`.'),
      poolsFile: z
        .string()
        .min(1)
        .optional()
        .describe('A YAML file with the list of pools, in the place of `pools`: read again every ten seconds.'),
      openstack: sections.cloud.optional().describe('The OpenStack that makes the addresses of pools that say so.'),
      namespaceLimits: namespaceLimits.describe(
        'What one namespace may have at most; what is not named is not limited.',
      ),
      certificates: certificates.optional().describe('For the connections to the agents.'),
      comparisonIntervalSeconds: z
        .number()
        .min(0)
        .default(60)
        .describe('How often each agent is asked whether it still has what it confirmed; 0: never.'),
    })
    .superRefine(({ addresses: unnamed, pools, poolsFile, certificates: files, ...rest }, context) => {
      const given = [unnamed, pools, poolsFile].filter((one) => one !== undefined);
      const problems = given.length === 1 ? [] : ['needs one of addresses, pools and poolsFile'];
      const all = pools ?? [{ name: '', addresses: unnamed ?? [], gateways: rest.gateways }];
      problems.push(...problemsOfPools(all, files !== undefined));
      for (const message of problems) context.addIssue({ code: 'custom', message });
    });

/** What is wrong with pools beside each other. */
function problemsOfPools(
  pools: readonly Pick<Pool, 'name' | 'addresses' | 'openstack' | 'gateways'>[],
  hasCertificates: boolean,
): string[] {
  const problems: string[] = [];
  if (new Set(pools.map(({ name }) => name)).size < pools.length) problems.push('has two pools of the same name');
  const unclear = pools.find((pool) => (pool.addresses === undefined) === (pool.openstack === undefined));
  if (unclear !== undefined) problems.push(`needs either addresses or openstack in the pool ${unclear.name}`);
  if (new Set(pools.map(({ openstack }) => openstack === undefined)).size > 1)
    problems.push('has pools with addresses beside pools with openstack: give all of them one or the other');
  const shared = sharedAddress(pools.map(({ addresses: list = [] }) => list));
  if (shared !== undefined) problems.push(`has ${shared} in two pools`);
  const gateways = pools.flatMap((pool) => pool.gateways);
  const urls = new Map(gateways.map(({ name, url }) => [name, url]));
  const ambiguous = gateways.find(({ name, url }) => urls.get(name) !== url);
  if (ambiguous !== undefined) problems.push(`has two URLs for the gateway ${ambiguous.name}`);
  const open = gateways.find(({ url }) => isOpen(url));
  if (open !== undefined) problems.push(`reaches the gateway ${open.name} without TLS: only on the loopback interface`);
  const isSecured = gateways.some(({ url }) => url.startsWith('https:'));
  if (isSecured && !hasCertificates) problems.push('needs certificates for its gateways');
  return problems;
}

/** The pools of a file. Throws a terminal error that says what is wrong with it. */
export function parsePools(
  text: string,
  { poolsFile, certificates: files }: GatewayConfiguration,
  sections = NO_CLOUD,
): readonly Pool[] {
  const invalid = (problem: string) =>
    new FairleadError(`${poolsFile} ${problem}`, { verdict: 'terminal', code: 'invalid-pools-file' });
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw invalid(`is not YAML: ${messageOf(error)}`);
  }
  const { data, error } = z.array(namedPool(sections)).min(1).safeParse(document);
  if (error !== undefined) throw invalid(`is not a list of pools: ${z.prettifyError(error)}`);
  const [problem] = problemsOfPools(data, files !== undefined);
  if (problem !== undefined) throw invalid(problem);
  return data;
}

export type GatewayConfiguration = z.infer<ReturnType<typeof gatewayConfiguration>>;
export type CertificateFiles = z.infer<typeof certificates>;

/** One that is in two of the lists. Those that cannot be read are told elsewhere. */
function sharedAddress(lists: readonly (readonly string[])[]): string | undefined {
  const seen = new Set<string>();
  for (const list of lists.filter((entries) => problemOf(entries) === undefined)) {
    const expanded = expandAddresses(list);
    const shared = expanded.find((address) => seen.has(address));
    if (shared !== undefined) return shared;
    for (const address of expanded) seen.add(address);
  }
  return undefined;
}

function isOpen(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && hostname !== '127.0.0.1' && hostname !== '[::1]' && hostname !== 'localhost';
}

/** The pools of the configuration: the unnamed one, or those with names. */
export function poolsOf({ addresses: unnamed = [], pools, ...rest }: GatewayConfiguration): readonly Pool[] {
  if (pools !== undefined) return pools;
  const { gateways, backends, preserveClientAddress, programmedWhen } = rest;
  const its = { gateways, backends, preserveClientAddress, programmedWhen };
  return [{ name: DEFAULT_POOL, addresses: unnamed, automatic: true, ...its }];
}
