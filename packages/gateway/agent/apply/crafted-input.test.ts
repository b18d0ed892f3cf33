import { type IpAddress, type Random, randomInteger, randomPick, seededRandom } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { type ConfigurationRequest, configurationRequest } from '../../protocol/configuration.ts';
import { gatewayAgentConfiguration } from '../configuration.ts';
import { renderKeepalived } from '../keepalived/render.ts';
import { ownElements, sharedElements } from '../nftables/elements.ts';
import { elementScript } from '../nftables/scripts.ts';

const INPUTS = 100_000;

const snippets = [
  ';',
  '\n',
  '\r',
  '\0',
  ' ',
  '}',
  '{',
  '"',
  "'",
  '#',
  '\\',
  '$x',
  '@slots4a',
  ' : drop',
  ', 0.0.0.0',
  '; flush ruleset',
  '\n} vrrp_script x { script "/bin/sh" }',
  '\ninclude /etc/passwd',
  '%eth0',
  '/0',
  ' dev lo',
  '0x7f',
  '٣',
  '：',
  '::ffff:',
  '1e3',
  '-',
] as const;

const vrrp = gatewayAgentConfiguration.shape.vrrp
  .unwrap()
  .parse({ interface: 'eth0', address: '198.51.100.1', gateways: ['198.51.100.1'] });

function crafted(random: Random, text: string): string {
  let result = text;
  for (let count = randomInteger(random, 1, 3); count > 0; count -= 1) {
    const at = randomInteger(random, 0, result.length);
    result = result.slice(0, at) + randomPick(random, snippets) + result.slice(at + randomInteger(random, 0, 1));
  }
  return result;
}

/** A request in which one or two values were tampered with, or none. */
function request(random: Random): unknown {
  const sometimes = (text: string) => (random.next() < 0.25 ? crafted(random, text) : text);
  const number = (value: number) => (random.next() < 0.1 ? sometimes(String(value)) : value);
  return {
    kind: 'whole',
    generation: { epoch: 1, number: 1 },
    virtualServers: [
      {
        address: sometimes(randomPick(random, ['192.0.2.1', '2001:db8::1'])),
        protocol: random.next() < 0.1 ? sometimes('TCP') : randomPick(random, ['TCP', 'UDP', 'SCTP']),
        port: number(80),
        service: crafted(random, 'default/web'),
        backends: [{ address: sometimes(randomPick(random, ['10.0.0.1', 'fd00::1'])), port: number(8_080) }],
        sourceRanges: [sometimes(randomPick(random, ['198.51.100.0/24', '2001:db8::/32']))],
        preservesClientAddress: random.next() < 0.5,
        ...(random.next() < 0.3 ? { affinitySeconds: number(60) } : {}),
      },
    ],
  };
}

/** What nft is given is statements about elements, of addresses, numbers, protocols and our own chains. */
const WORD = String.raw`(?:[0-9a-f:.]+(?:\/\d{1,3})?|tcp|udp|sctp|goto (?:pick|stick)[46](?:-\d+)+a)`;
const ELEMENT = `${WORD}(?: \\. ${WORD})*(?: : ${WORD}(?: \\. ${WORD})*)?`;
const STATEMENT = new RegExp(`^add element inet fairlead [a-z]+[46]a \\{ ${ELEMENT}(?:, ${ELEMENT})* \\}$`);
const HELD = /^ {4}[0-9a-f:.]+\/(?:32|128) dev eth0$/;

function checkNft({ virtualServers }: Extract<ConfigurationRequest, { kind: 'whole' }>): void {
  const elements = virtualServers.flatMap((one) => [...ownElements(one), ...sharedElements(one)]);
  for (const line of elementScript('add', elements, 'a').split('\n').slice(0, -1)) {
    if (!STATEMENT.test(line)) throw new Error(`nft is given ${JSON.stringify(line)}`);
  }
}

/** The lines that keepalived is given more than for no address at all. */
function keepalivedLines(addresses: ReadonlySet<IpAddress>): readonly string[] {
  const plain = new Set(renderKeepalived([], vrrp, '/health').split('\n'));
  return renderKeepalived(addresses, vrrp, '/health')
    .split('\n')
    .filter((line) => !plain.has(line) && line !== '  virtual_ipaddress_excluded {');
}

describe('names and addresses that were made to escape', () => {
  it(`never reach nft or keepalived, in ${INPUTS} requests`, () => {
    const random = seededRandom(13);
    let accepted = 0;
    const addresses = new Set<IpAddress>();
    for (let round = 0; round < INPUTS; round += 1) {
      const read = configurationRequest.safeParse(request(random));
      if (!read.success || read.data.kind !== 'whole') continue;
      accepted += 1;
      checkNft(read.data);
      for (const { address } of read.data.virtualServers) addresses.add(address);
    }
    const lines = keepalivedLines(addresses);
    expect(lines.filter((line) => !HELD.test(line))).toEqual([]);
    expect(lines).toHaveLength(addresses.size);
    expect(accepted).toBeGreaterThan(INPUTS / 20);
    expect(accepted).toBeLessThan(INPUTS / 2);
  }, 120_000);
});
