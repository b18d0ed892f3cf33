import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clusterId,
  isOurs,
  type OwnerMark,
  ownerTagList,
  ownerTags,
  ownerText,
  readOwnerTagList,
  readOwnerTags,
  readOwnerText,
  serviceUid,
} from './owner-mark.ts';

const ours: OwnerMark = {
  cluster: clusterId('5b2e9f0e-6a4c-4d0e-9a53-2f1f5b8f6a11'),
  part: 'octavia',
  service: serviceUid('c0ffee00-1111-4222-8333-444455556666'),
};
const shared: OwnerMark = { cluster: ours.cluster, part: ours.part };

const word = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,38}[A-Za-z0-9])?$/);
const anyMark: fc.Arbitrary<OwnerMark> = fc
  .record({ cluster: word, part: word, service: fc.option(word) })
  .map(({ cluster, part, service }) => ({
    cluster: clusterId(cluster),
    part,
    ...(service === null ? {} : { service: serviceUid(service) }),
  }));

describe('owner marks', () => {
  it('are tags with names and values, tags of one word, or a description', () => {
    expect(ownerTags(ours)).toEqual({
      'fairlead-cluster': '5b2e9f0e-6a4c-4d0e-9a53-2f1f5b8f6a11',
      'fairlead-part': 'octavia',
      'fairlead-service': 'c0ffee00-1111-4222-8333-444455556666',
    });
    expect(ownerTagList(shared)).toEqual([
      'fairlead-cluster=5b2e9f0e-6a4c-4d0e-9a53-2f1f5b8f6a11',
      'fairlead-part=octavia',
    ]);
    expect(ownerText(shared, 'Service default/web')).toBe(
      '[fairlead-cluster=5b2e9f0e-6a4c-4d0e-9a53-2f1f5b8f6a11 fairlead-part=octavia] Service default/web',
    );
  });

  it('are read back as they were written, in every form, among other things', () => {
    fc.assert(
      fc.property(anyMark, fc.string(), fc.string(), (mark, note, other) => {
        expect(readOwnerTags({ other, ...ownerTags(mark) })).toEqual(mark);
        expect(readOwnerTagList([`other=${other}`, ...ownerTagList(mark)])).toEqual(mark);
        expect(readOwnerText(ownerText(mark, note))).toEqual(mark);
      }),
    );
  });

  it('never make something of another cluster or part ours', () => {
    fc.assert(
      fc.property(anyMark, anyMark, (mark, us) => {
        const same = mark.cluster === us.cluster && mark.part === us.part;
        expect(isOurs(readOwnerTags(ownerTags(mark)), us)).toBe(same);
        expect(isOurs(mark, mark)).toBe(true);
      }),
    );
    expect(isOurs({ ...ours, cluster: clusterId(`${ours.cluster}0`) }, ours)).toBe(false);
    expect(isOurs({ ...ours, cluster: clusterId(ours.cluster.toUpperCase()) }, ours)).toBe(false);
    expect(isOurs({ ...ours, part: 'ports' }, ours)).toBe(false);
    expect(isOurs(undefined, ours)).toBe(false);
  });

  it('are recognized when the API changed the case of the names, but not that of the values', () => {
    const shouted = Object.fromEntries(
      Object.entries(ownerTags(ours)).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(readOwnerTags(shouted)).toEqual(ours);
  });

  it.each<[string, string[]]>([
    ['no tags', []],
    ['no cluster', ['fairlead-part=octavia']],
    ['no part', ['fairlead-cluster=a']],
    ['two clusters', ['fairlead-cluster=a', 'fairlead-cluster=b', 'fairlead-part=octavia']],
    ['two services', ['fairlead-cluster=a', 'fairlead-part=p', 'fairlead-service=x', 'fairlead-service=y']],
    ['an empty cluster', ['fairlead-cluster=', 'fairlead-part=octavia']],
    ['a tag without a value', ['fairlead-cluster', 'fairlead-part=octavia']],
    ['a malformed service', ['fairlead-cluster=a', 'fairlead-part=octavia', 'fairlead-service=x y']],
    ['names that only begin alike', ['fairlead-clusters=a', 'fairlead-part=octavia']],
  ])('are none with %s', (_name, tags) => {
    expect(readOwnerTagList(tags)).toBeUndefined();
  });

  it('are none when tags differ only in the case of their names', () => {
    expect(readOwnerTags({ ...ownerTags(ours), 'Fairlead-Cluster': 'another' })).toBeUndefined();
  });

  it('are none in a text without one, with a cut one, or with two', () => {
    const text = ownerText(ours, '');
    expect(readOwnerText('made by hand')).toBeUndefined();
    expect(readOwnerText(text.slice(0, -1))).toBeUndefined();
    expect(readOwnerText(`${text} ${text}`)).toBeUndefined();
    expect(readOwnerText(`edited: ${text} keep this`)).toEqual(ours);
  });

  it('cannot be forged by a note', () => {
    const note = ownerText({ ...ours, cluster: clusterId('another') }, 'x');
    expect(readOwnerText(ownerText(ours, note))).toEqual(ours);
  });

  it('fit into 60 characters for each tag and 255 for a description, whatever the note', () => {
    const longest = 'a'.repeat(40);
    const mark = { cluster: clusterId(longest), part: longest, service: serviceUid(longest) };
    for (const tag of ownerTagList(mark)) expect(tag.length).toBeLessThanOrEqual(60);
    const text = ownerText(mark, 'n'.repeat(1000));
    expect(text).toHaveLength(255);
    expect(readOwnerText(text)).toEqual(mark);
  });

  it.each(['', 'a b', 'a,b', 'a/b', 'a%2Fb', 'a=b', '-a', 'a.', 'ä', 'a'.repeat(41)])('refuse the id %j', (text) => {
    for (const make of [clusterId, serviceUid, (part: string) => ownerTags({ ...ours, part })]) {
      expect(() => make(text)).toThrowError(
        expect.objectContaining({ verdict: 'terminal', code: 'invalid-owner-mark' }),
      );
    }
  });
});
