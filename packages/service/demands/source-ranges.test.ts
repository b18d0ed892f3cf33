import type { IpFamily, Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { SOURCE_RANGES_ANNOTATION, sourceRangesOf } from './source-ranges.ts';

function rangesOf(field: readonly string[] | undefined, annotation?: string, families: readonly IpFamily[] = ['IPv4']) {
  const service: Service = {
    metadata: { name: 'web', annotations: annotation === undefined ? {} : { [SOURCE_RANGES_ANNOTATION]: annotation } },
    spec: field === undefined ? {} : { loadBalancerSourceRanges: field },
  };
  return sourceRangesOf(service, families);
}

describe('sourceRangesOf', () => {
  it('admits anybody when nothing is asked', () => {
    expect(rangesOf(undefined)).toEqual({ kind: 'any' });
    expect(rangesOf([])).toEqual({ kind: 'any' });
    expect(rangesOf(undefined, '  ')).toEqual({ kind: 'any' });
  });

  it('sorts the ranges by family and gives each one spelling', () => {
    expect(rangesOf([' 192.0.2.77/24', '10.0.0.0/8 ', '2001:DB8::/32', '192.0.2.0/24'])).toEqual({
      kind: 'only',
      IPv4: ['10.0.0.0/8', '192.0.2.0/24'],
      IPv6: ['2001:db8::/32'],
    });
  });

  it('reads the annotation when the field is empty, and only then', () => {
    const expected = { kind: 'only', IPv4: ['10.0.0.0/8', '192.0.2.0/24'], IPv6: [] };
    expect(rangesOf([], '10.0.0.0/8, 192.0.2.0/24')).toEqual(expected);
    expect(rangesOf(['198.51.100.0/24'], '10.0.0.0/8')).toEqual({ kind: 'only', IPv4: ['198.51.100.0/24'], IPv6: [] });
  });

  it('takes a range of everything for no restriction, if it covers every family of the Service', () => {
    expect(rangesOf(['10.0.0.0/8', '0.0.0.0/0'])).toEqual({ kind: 'any' });
    expect(rangesOf(['::/0', '0.0.0.0/0'], undefined, ['IPv4', 'IPv6'])).toEqual({ kind: 'any' });
    expect(rangesOf(['0.0.0.0/0'], undefined, ['IPv4', 'IPv6'])).toEqual({
      kind: 'only',
      IPv4: ['0.0.0.0/0'],
      IPv6: [],
    });
  });

  it.each(['10.0.0.1', '10.0.0.0/33', '010.0.0.0/8', '2001:db8::/129', 'everyone', '', '10.0.0.0/8;11.0.0.0/8'])(
    'refuses %j instead of leaving it out',
    (bad) => {
      const refused = expect.objectContaining({ verdict: 'terminal', code: 'invalid-source-range' });
      expect(() => rangesOf(['192.0.2.0/24', bad])).toThrow(refused);
      expect(() => rangesOf(undefined, `192.0.2.0/24,${bad}`)).toThrow(refused);
    },
  );

  it('names the place and the text it refuses', () => {
    expect(() => rangesOf(['10.0.0.1'])).toThrow(
      'spec.loadBalancerSourceRanges has "10.0.0.1", which is no range such as 192.0.2.0/24 or 2001:db8::/32',
    );
    expect(() => rangesOf(undefined, '10.0.0.0/8,')).toThrow(`the annotation ${SOURCE_RANGES_ANNOTATION} has ""`);
  });
});
