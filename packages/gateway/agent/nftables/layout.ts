import { SLOT_COUNTS } from './slots.ts';

/*
 * The private table. Its chains are always the same; what a gateway serves are elements of its maps. Both can exist
 * twice, as two banks, of which the hooks lead into one: a large load goes into the other, portion by portion, and one
 * transaction switches over.
 *
 * No packet mark is read or written: those are other programs'. Only a new connection with affinity writes the
 * packet's priority, as a place to keep a number from one lookup to the next; forwarding sets it anew.
 */

export const TABLE = 'inet fairlead';

export type Bank = 'a' | 'b';

export function otherBank(bank: Bank): Bank {
  return bank === 'a' ? 'b' : 'a';
}

/** For how long a client can be kept with its backend; a Service gets the next longer one. */
export const AFFINITY_SECONDS = [60, 600, 3_600, 10_800, 86_400] as const;

/** The same on all gateways, so that they choose alike. */
export const HASH_SEED = 0x666c_6431;
const SEED = `0x${HASH_SEED.toString(16)}`;
const SECOND_SEED = '0x666c6432';
/** How many clients are kept with their backends, of each family; beyond it, the hash of their address decides. */
const AFFINITY_CLIENTS = 262_144;

interface Family {
  readonly suffix: '4' | '6';
  readonly ip: 'ip' | 'ip6';
  readonly nfproto: 'ipv4' | 'ipv6';
}

const FAMILIES: readonly Family[] = [
  { suffix: '4', ip: 'ip', nfproto: 'ipv4' },
  { suffix: '6', ip: 'ip6', nfproto: 'ipv6' },
];

const frontendOf = (ip: string) => `${ip} daddr . meta l4proto . th dport`;

/** The maps and sets of a bank, without its letter: `slots4` -> how it is declared. */
function mapsOf({ suffix, ip }: Family): readonly (readonly [name: string, declaration: string])[] {
  const frontend = frontendOf(ip);
  const backend = `${ip} daddr . th dport`;
  // A slot is a plain number; of what nft can name that is one, the length of a packet is.
  return [
    [`services${suffix}`, `map { typeof ${frontend} : verdict; }`],
    [`slots${suffix}`, `map { typeof ${frontend} . meta length : ${backend}; }`],
    [`choices${suffix}`, `map { typeof ${frontend} . meta length : meta priority; }`],
    [`backends${suffix}`, `map { typeof ${frontend} . meta priority : ${backend}; }`],
    [`returns${suffix}`, `map { typeof ${ip} saddr . meta l4proto . th sport : ${ip} saddr . tcp sport; }`],
    [`addresses${suffix}`, `set { typeof ${ip} daddr; }`],
    [`restricted${suffix}`, `set { typeof ${frontend}; }`],
    [`allowed${suffix}`, `set { typeof ${frontend} . ${ip} saddr; flags interval; }`],
    [`masqueraded${suffix}`, `set { typeof ${frontend}; }`],
    [`insiders${suffix}`, `set { typeof ${frontend} . ${ip} saddr; }`],
  ];
}

const MAPS = FAMILIES.flatMap(mapsOf);

/** The table with what is no part of a bank. Does nothing where it is there. */
export function tableStatements(): string[] {
  const affinity = FAMILIES.map(
    ({ suffix }) =>
      `add map ${TABLE} affinity${suffix} { typeof meta length . meta length : meta priority; size ${AFFINITY_CLIENTS}; flags dynamic,timeout; timeout 1d; }`,
  );
  return [`add table ${TABLE}`, ...affinity];
}

/** The bank's maps, empty, its chains, and the rules that choose backends. */
export function bankStatements(bank: Bank): string[] {
  return [
    ...declarations(bank),
    `add set ${TABLE} ${bankSet(bank)} { typeof ip6 daddr; }`,
    ...choosingRules(bank).map(({ chain, text }) => `add rule ${TABLE} ${chain} ${text}`),
  ];
}

/** Takes the bank away, which no chain that packets enter by themselves may use. Does nothing where it is not there. */
export function dropBankStatements(bank: Bank): string[] {
  const chains = bankChains(bank).map(({ name }) => name);
  // A map of verdicts leads to chains, whose rules look into maps: what refers goes before what is referred to.
  return [
    ...declarations(bank),
    `add set ${TABLE} ${bankSet(bank)} { typeof ip6 daddr; }`,
    ...chains.map((name) => `flush chain ${TABLE} ${name}`),
    ...MAPS.map(([name, declaration]) => `delete ${declaration.split(' ')[0]} ${TABLE} ${name}${bank}`),
    ...chains.map((name) => `delete chain ${TABLE} ${name}`),
    `delete set ${TABLE} ${bankSet(bank)}`,
  ];
}

/** Always empty: its handle tells those of the rules that choose backends. */
export function bankSet(bank: Bank): string {
  return `rules${bank}`;
}

/** The chains that packets enter by themselves; they and those that they lead to without a rule. */
export function emptyChainStatements(bank: Bank): string[] {
  const entries = entryChains(bank);
  return [
    ...entries.map(({ name, hook }) => `add chain ${TABLE} ${name} { ${hook} }`),
    ...[...entries, ...FAMILIES.flatMap((family) => leadingChains(family, bank))].map(
      ({ name }) => `flush chain ${TABLE} ${name}`,
    ),
  ];
}

/** None of ours has an anonymous set: the kernel would number that like a rule. */
export interface Rule {
  readonly chain: string;
  readonly text: string;
}

/** The rules that choose a backend. nft 1.0.6 can make them only together with the maps that they look into. */
export function choosingRules(bank: Bank): readonly Rule[] {
  return rulesOf(FAMILIES.flatMap((family) => choosingChains(family, bank)));
}

/** All other rules: those that lead packets into the bank, and out of it. */
export function leadingRules(bank: Bank): readonly Rule[] {
  return rulesOf([...FAMILIES.flatMap((family) => leadingChains(family, bank)), ...entryChains(bank)]);
}

function rulesOf(chains: readonly Chain[]): readonly Rule[] {
  return chains.flatMap(({ name, rules }) => rules.map((text) => ({ chain: name, text })));
}

function declarations(bank: Bank): string[] {
  return [
    ...MAPS.map(([name, declaration]) => {
      const [kind = '', ...rest] = declaration.split(' ');
      return `add ${kind} ${TABLE} ${name}${bank} ${rest.join(' ')}`;
    }),
    ...bankChains(bank).map(({ name }) => `add chain ${TABLE} ${name}`),
  ];
}

interface Chain {
  readonly name: string;
  readonly rules: readonly string[];
}

function bankChains(bank: Bank): readonly Chain[] {
  return FAMILIES.flatMap((family) => [...choosingChains(family, bank), ...leadingChains(family, bank)]);
}

function choosingChains({ suffix, ip }: Family, bank: Bank): readonly Chain[] {
  const map = (name: string) => `@${name}${suffix}${bank}`;
  const frontend = frontendOf(ip);
  const picks = SLOT_COUNTS.map((count) => ({
    name: `${pickChain(suffix, count)}${bank}`,
    rules: [`dnat ${ip} to ${frontend} . jhash ${ip} saddr . th sport mod ${count} seed ${SEED} map ${map('slots')}`],
  }));
  const sticks = SLOT_COUNTS.flatMap((count) =>
    AFFINITY_SECONDS.map((seconds) => {
      const kept = `@affinity${suffix}`;
      // Two hashes stand for client and frontend: two IPv6 addresses would not fit into the registers of a rule.
      const pair = `${ip} saddr . ${frontend}`;
      const client = `jhash ${pair} mod 0xffffffff seed ${SEED} . jhash ${pair} mod 0xffffffff seed ${SECOND_SEED}`;
      const keep = `update ${kept} { ${client} timeout ${seconds}s : meta priority }`;
      const translate = `dnat ${ip} to ${frontend} . meta priority map ${map('backends')}`;
      const hashed = `${frontend} . jhash ${ip} saddr mod ${count} seed ${SEED} map ${map('choices')}`;
      return {
        name: `${affinityChain(suffix, count, seconds)}${bank}`,
        rules: [
          // Where the backend that it was kept with is gone, the last lookup finds nothing, and the next rule is tried.
          `meta priority set ${client} map ${kept} ${keep} ${translate}`,
          `meta priority set ${hashed} delete ${kept} { ${client} : meta priority } ${keep} ${translate}`,
          // Where no more clients can be kept, the hash alone decides.
          `meta priority set ${hashed} ${translate}`,
        ],
      };
    }),
  );
  return [...picks, ...sticks];
}

function leadingChains({ suffix, ip }: Family, bank: Bank): readonly Chain[] {
  const map = (name: string) => `@${name}${suffix}${bank}`;
  const frontend = frontendOf(ip);
  const client = `${frontend} . ${ip} saddr`;
  const byProtocol = (match: string) =>
    ['tcp', 'udp', 'sctp'].map((protocol) => `meta l4proto ${protocol} ${match} masquerade`);
  const original = `ct original ${ip} daddr . meta l4proto . ct original proto-dst`;
  return [
    // Before addresses are translated: what is no longer allowed is stopped with its next packet.
    { name: `allow${suffix}${bank}`, rules: [`${frontend} ${map('restricted')} ${client} != ${map('allowed')} drop`] },
    { name: `serve${suffix}${bank}`, rules: [`${frontend} vmap ${map('services')}`] },
    {
      name: `refuse${suffix}${bank}`,
      rules: ['tcp reject with tcp reset', 'udp reject', 'sctp reject'].map(
        (answer) => `ct direction original ${ip} daddr ${map('addresses')} meta l4proto ${answer}`,
      ),
    },
    {
      name: `answer${suffix}${bank}`,
      rules: [
        // A connection that another gateway began, of which the backend is heard first.
        `ct status & dnat == 0 tcp flags & (syn | rst) == 0 snat ${ip} to ${ip} saddr . meta l4proto . th sport map ${map('returns')}`,
        'ct status & dnat == 0 return',
        ...byProtocol(`${original} ${map('masqueraded')}`),
        // A backend that is its own client, or another's of the same Service, would be answered past the gateway.
        ...byProtocol(`${original} . ${ip} saddr ${map('insiders')}`),
        `fib saddr type local ct original ${ip} daddr ${map('addresses')} masquerade`,
      ],
    },
  ];
}

function entryChains(bank: Bank): readonly (Chain & { readonly hook: string })[] {
  const toFamily = (chain: string) =>
    FAMILIES.map(({ suffix, nfproto }) => `meta nfproto ${nfproto} jump ${chain}${suffix}${bank}`);
  return [
    { name: 'allow-arriving', hook: 'type filter hook prerouting priority -105;', rules: toFamily('allow') },
    { name: 'allow-local', hook: 'type filter hook output priority -105;', rules: toFamily('allow') },
    { name: 'serve-arriving', hook: 'type nat hook prerouting priority -100;', rules: toFamily('serve') },
    { name: 'serve-local', hook: 'type nat hook output priority -100;', rules: toFamily('serve') },
    { name: 'refuse', hook: 'type filter hook input priority -10;', rules: toFamily('refuse') },
    { name: 'answer', hook: 'type nat hook postrouting priority 95;', rules: toFamily('answer') },
  ];
}

/** Without the letter of the bank, as an element names it. */
export function pickChain(suffix: string, slots: number): string {
  return `pick${suffix}-${slots}`;
}

export function affinityChain(suffix: string, slots: number, seconds: number): string {
  return `stick${suffix}-${slots}-${seconds}`;
}
