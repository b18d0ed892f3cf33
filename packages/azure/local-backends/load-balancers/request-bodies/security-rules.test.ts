import { clusterId, requireIpAddress, serviceUid } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SecurityRule } from '../../../arm/index.ts';
import { serviceMark } from '../../names.ts';
import { site, wantedService } from '../../testing/wanted.ts';
import type { WantedService } from '../desired.ts';
import { mergeSecurityRules, securityRulesFor } from './security-rules.ts';

const addresses = { IPv4: requireIpAddress('198.51.100.1'), IPv6: requireIpAddress('2001:db8::1') };
const rulesFor = (wanted: WantedService) =>
  securityRulesFor(
    site,
    wanted,
    wanted.families.map((family) => addresses[family]),
  );
const web = wantedService('shop/web', {
  families: ['IPv4', 'IPv6'],
  ports: [
    { protocol: 'TCP', port: 80 },
    { protocol: 'TCP', port: 443 },
    { protocol: 'UDP', port: 443 },
  ],
});
const shape = (wanted: typeof web) =>
  rulesFor(wanted).map(({ name, properties: rule }) => {
    const ports = rule.destinationPortRanges?.join('+') ?? rule.destinationPortRange;
    const from = rule.sourceAddressPrefixes?.join('+') ?? rule.sourceAddressPrefix;
    const suffix = name.replace(/^shop-web-[0-9a-f]{18}/, '');
    return `${suffix}: ${rule.access} ${rule.protocol} ${from} -> ${rule.destinationAddressPrefix} ${ports}`;
  });
const theirs = (name: string, priority: number): SecurityRule => ({
  name,
  properties: { priority, direction: 'Inbound', access: 'Deny', protocol: '*', destinationPortRange: '22' },
});

describe('a security rule', () => {
  it('says whose it is in as many characters as Azure takes, however long the names are', () => {
    const uid = '8d3c6a5e-6d0f-4a51-9d5e-0123456789ab';
    const key = `${'n'.repeat(63)}/${'s'.repeat(63)}` as const;
    const long = { ...site, cluster: clusterId(uid) };
    const wanted = { ...wantedService('shop/web', { uid: serviceUid(uid) }), key };
    const rules = securityRulesFor(long, wanted, [addresses.IPv4]);
    for (const { name, properties } of rules) {
      expect(name.length).toBeLessThanOrEqual(80);
      expect(properties.description).toContain(key);
      expect(properties.description?.length).toBeLessThanOrEqual(140);
    }
    expect(rules).toHaveLength(1);
  });
});

describe('a security group', () => {
  const sources = (count: number, second = 1) =>
    Array.from({ length: count }, (_, index) => `10.${second}.${index >> 8}.${index & 255}/32`);
  const theirsWith = (sourceAddressPrefixes: readonly string[]) => {
    const rule = theirs('theirs', 500);
    return { ...rule, properties: { ...rule.properties, sourceAddressPrefixes } };
  };
  const wanting = (count: number, second = 1) => {
    const ranges = { kind: 'only', IPv4: sources(count, second), IPv6: [] } as const;
    const service = wantedService('shop/web', { families: ['IPv4'], sourceRanges: ranges });
    return new Map([[serviceMark(web.uid), rulesFor(service)]]);
  };

  it('gets no more source ranges than Azure takes, those of others counted, and may always lose some', () => {
    const full = theirsWith(sources(3_500));
    expect(() => mergeSecurityRules(site, [full], wanting(501))).toThrow('4000 source ranges');
    const { rules } = mergeSecurityRules(site, [full], wanting(400));
    const over = rules.map((rule) =>
      rule.name === 'theirs'
        ? { ...rule, properties: { ...rule.properties, sourceAddressPrefixes: sources(3_900) } }
        : rule,
    );
    expect(mergeSecurityRules(site, over, wanting(300)).changed.size).toBe(1);
    // Others for as many.
    expect(mergeSecurityRules(site, over, wanting(400, 9)).changed.size).toBe(1);
    expect(() => mergeSecurityRules(site, over, wanting(401))).toThrow('4000 source ranges');
  });

  it.each([[{}], [{ sourceAddressPrefixes: [] }]])(
    'counts a rule of others for any source as one, also where Azure fills in %j',
    (filledIn) => {
      const any = theirs('any', 501);
      const current = [theirsWith(sources(3_800)), { ...any, properties: { ...any.properties, ...filledIn } }];
      expect(mergeSecurityRules(site, current, wanting(198)).changed.size).toBe(1);
      // One more keeps all others out.
      expect(() => mergeSecurityRules(site, current, wanting(199))).toThrow('4000 source ranges');
    },
  );
});

describe('the priority of a rule', () => {
  it('is none that an inbound rule of others has, however Azure spells that', () => {
    const current: readonly SecurityRule[] = JSON.parse(
      JSON.stringify([theirs('theirs', 500)]).replace('"Inbound"', '"inbound"'),
    );
    const wanted = new Map([[serviceMark(web.uid), rulesFor({ ...web, families: ['IPv4'] })]]);
    const { rules } = mergeSecurityRules(site, current, wanted);
    expect(rules.map(({ properties }) => properties.priority)).toEqual([500, 501, 502]);
  });
});

describe('who may reach a Service', () => {
  it('everybody, for a public one that does not say', () => {
    expect(shape(web)).toEqual([
      '-allow-tcp: Allow Tcp * -> 198.51.100.1 80+443',
      '-allow-udp: Allow Udp * -> 198.51.100.1 443',
      '-v6-allow-tcp: Allow Tcp * -> 2001:db8::1 80+443',
      '-v6-allow-udp: Allow Udp * -> 2001:db8::1 443',
    ]);
  });

  it('those it names, and nobody in a family of which it names none', () => {
    const sourceRanges = { kind: 'only', IPv4: ['192.0.2.0/24'], IPv6: [] } as const;
    expect(shape({ ...web, ports: web.ports.slice(0, 1), sourceRanges })).toEqual([
      '-allow-tcp: Allow Tcp 192.0.2.0/24 -> 198.51.100.1 80',
      '-deny: Deny * * -> 198.51.100.1 *',
      '-v6-deny: Deny * * -> 2001:db8::1 *',
    ]);
  });

  it('whoever the network lets, for an internal one that does not say', () => {
    expect(shape({ ...web, scope: 'internal' })).toEqual([]);
  });

  it('nobody is let to an address that is not known', () => {
    expect(securityRulesFor(site, web, [])).toEqual([]);
  });
});

describe('mergeSecurityRules', () => {
  const mark = serviceMark(web.uid);
  const wanted = rulesFor(web);

  it('gives each rule a priority that no other has, what lets in before what keeps out', () => {
    const others = [theirs('ssh', 500), theirs('last', 4096)];
    const sourceRanges = { kind: 'only', IPv4: ['192.0.2.0/24'], IPv6: [] } as const;
    const rules = rulesFor({ ...web, families: ['IPv4'], sourceRanges });
    const merged = mergeSecurityRules(site, others, new Map([[mark, rules]]));
    expect(merged.rules.map(({ properties }) => properties.priority)).toEqual([500, 4096, 501, 502, 4095]);
  });

  it('moves a rule of ours back that another program put out of its range', () => {
    const { rules } = mergeSecurityRules(site, [], new Map([[mark, wanted]]));
    const moved = rules.map((rule, index) =>
      index === 0 ? { ...rule, properties: { ...rule.properties, priority: 4000 } } : rule,
    );
    const merged = mergeSecurityRules(site, moved, new Map([[mark, wanted]]));
    expect(merged.changed).toEqual(new Set([mark]));
    expect(new Set(merged.rules.map(({ properties }) => properties.priority))).toEqual(new Set([500, 501, 502, 503]));
  });

  it('leaves no rule of another Service for an address that a Service has now, in whatever spelling, but those of others', () => {
    const api = wantedService('shop/api', { families: ['IPv4', 'IPv6'] });
    const { rules: apis } = mergeSecurityRules(site, [], new Map([[serviceMark(api.uid), rulesFor(api)]]));
    const respelled = apis.map(({ name, properties }) => {
      const destinationAddressPrefix = (properties.destinationAddressPrefix ?? '').replace('::', ':0:0::');
      return { name, properties: { ...properties, destinationAddressPrefix } };
    });
    const ssh = theirs('ssh', 300);
    const byHand = { ...ssh, properties: { ...ssh.properties, destinationAddressPrefix: addresses.IPv4 } };
    const merged = mergeSecurityRules(site, [...respelled, byHand], new Map([[mark, wanted]]));
    expect(merged.rules.map(({ name }) => name)).toEqual(['ssh', ...wanted.map(({ name }) => name)]);
    const elsewhere = rulesFor(web).filter(({ properties }) => properties.destinationAddressPrefix === addresses.IPv6);
    const ofIPv6 = mergeSecurityRules(site, apis, new Map([[mark, elsewhere]]));
    expect(ofIPv6.rules.filter((rule) => apis.includes(rule))).toEqual(apis.slice(0, 1));
    expect(ofIPv6.changed).toEqual(new Set([mark]));
  });

  it('says so before Azure does when the group would have too many rules', () => {
    const some = Array.from({ length: 999 }, (_, index) => theirs(`r${index}`, 500 + index));
    expect(() => mergeSecurityRules(site, some, new Map([[mark, wanted]]))).toThrowError(
      expect.objectContaining({ code: 'security-group-full', verdict: 'terminal' }),
    );
    expect(mergeSecurityRules(site, some, new Map()).rules).toHaveLength(999);
  });

  it('says so when no priority is left', () => {
    const full = Array.from({ length: 2_000 }, (_, index) => theirs(`r${index}`, 500 + index));
    expect(() => mergeSecurityRules(site, full, new Map([[mark, wanted]]))).toThrowError(
      expect.objectContaining({ code: 'security-group-full', verdict: 'terminal' }),
    );
  });

  it('changes nothing of others, has no priority twice, and finds nothing to do in what it made', () => {
    const kinds = fc.constantFrom(
      { kind: 'any' } as const,
      { kind: 'only', IPv4: ['192.0.2.0/24'], IPv6: ['2001:db8::/32'] } as const,
    );
    const service = fc.record({
      key: fc.constantFrom('a/x' as const, 'a/y' as const, 'b/z' as const),
      sourceRanges: kinds,
      isThere: fc.boolean(),
    });
    const services = fc.uniqueArray(service, { selector: ({ key }) => key });
    const others = fc.uniqueArray(fc.constantFrom(500, 501, 503, 4095, 4096, 300), { maxLength: 5 });
    fc.assert(
      fc.property(others, services, services, (taken, first, second) => {
        const foreign = taken.map((priority) => theirs(`r${priority}`, priority));
        const rulesOf = (list: typeof first) =>
          new Map(
            list.map(({ key, sourceRanges, isThere }) => {
              const wanted = wantedService(key, { sourceRanges });
              return [serviceMark(wanted.uid), isThere ? rulesFor(wanted) : []] as const;
            }),
          );
        const before = mergeSecurityRules(site, foreign, rulesOf(first)).rules;
        const { rules } = mergeSecurityRules(site, before, rulesOf(second));
        expect(rules.filter(({ name }) => /^r\d+$/.test(name))).toEqual(foreign);
        expect(new Set(rules.map(({ properties }) => properties.priority)).size).toBe(rules.length);
        expect(mergeSecurityRules(site, rules, rulesOf(second)).changed.size).toBe(0);
      }),
    );
  });
});
