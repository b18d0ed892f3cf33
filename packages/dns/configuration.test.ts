import { describe, expect, it } from 'vitest';
import { dnsConfiguration, parseSocketAddress, zoneName } from './configuration.ts';

describe('an address to listen on', () => {
  it.each([
    ['192.0.2.1', { address: '192.0.2.1', port: 53 }],
    ['0.0.0.0:5353', { address: '0.0.0.0', port: 5353 }],
    ['[::]:53', { address: '::', port: 53 }],
    ['[2001:db8::1]', { address: '2001:db8::1', port: 53 }],
    ['2001:db8::1', { address: '2001:db8::1', port: 53 }],
    ['localhost:53', undefined],
    ['192.0.2.1:70000', undefined],
    ['192.0.2:53', undefined],
    ['', undefined],
  ])('%s', (text, parsed) => {
    expect(parseSocketAddress(text)).toEqual(parsed);
  });
});

describe('the configuration', () => {
  it('works without a word', () => {
    expect(dnsConfiguration.parse({})).toMatchObject({
      listen: ['0.0.0.0:53'],
      zone: 'clusterset.local',
      clusterSpecificNames: true,
      ttlSeconds: 5,
    });
  });

  it('takes a zone as people write it', () => {
    const { zone } = dnsConfiguration.parse({ zone: 'ClusterSet.Example.' });
    expect(zoneName(zone)).toBe('clusterset.example');
  });

  it.each([
    [{ zone: 'no zone' }, 'is no name of a zone, such as clusterset.local'],
    [{ zone: '' }, 'is no name of a zone, such as clusterset.local'],
    [
      { zone: `${'x'.repeat(60)}.${'y'.repeat(60)}` },
      'is too long: names of Services go before it, and 255 bytes are all there are',
    ],
    [{ listen: ['dns'] }, 'must be an IP address with or without a port, such as 0.0.0.0:53'],
    [{ nameServerAddresses: ['ns'] }, 'is no IP address'],
    [{ cluster: 'West' }, 'is no name of a cluster: lower-case letters, digits, dashes and dots'],
    [
      { listen: ['10.0.0.1:5353'], forward: { servers: ['192.0.2.1', '10.0.0.1:5353'] } },
      '10.0.0.1:5353 is this server itself: name one that answers for other zones',
    ],
    [{ forward: { servers: ['127.0.0.1'] } }, '127.0.0.1 is this server itself: name one that answers for other zones'],
    [
      { listen: ['[::]:53'], forward: { servers: ['[::1]:53'] } },
      '[::1]:53 is this server itself: name one that answers for other zones',
    ],
    [
      { listen: ['[2001:db8::1]:53'], forward: { servers: ['2001:DB8:0:0::1'] } },
      '2001:DB8:0:0::1 is this server itself: name one that answers for other zones',
    ],
    [
      { forward: { servers: ['::ffff:127.0.0.1'] } },
      '::ffff:127.0.0.1 is this server itself: name one that answers for other zones',
    ],
    [
      { listen: ['10.0.0.1', '10.0.0.2'], forward: { servers: ['10.0.0.2'] } },
      '10.0.0.2 is this server itself: name one that answers for other zones',
    ],
    [
      { listen: ['[::0]:53'], forward: { servers: ['127.0.0.1'] } },
      '127.0.0.1 is this server itself: name one that answers for other zones',
    ],
  ])('refuses %j in one line', (section, message) => {
    expect(dnsConfiguration.safeParse(section).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });

  it.each([
    { listen: ['0.0.0.0:5353'], forward: { servers: ['127.0.0.1:53'] } },
    { listen: ['10.0.0.1'], forward: { servers: ['127.0.0.1'] } },
    { forward: { servers: ['10.96.0.10'] } },
    { listen: ['0.0.0.0:53'], forward: { servers: ['[::1]:53'] } },
  ])('takes %j, which leads to another server', (section) => {
    expect(dnsConfiguration.safeParse(section).success).toBe(true);
  });
});
