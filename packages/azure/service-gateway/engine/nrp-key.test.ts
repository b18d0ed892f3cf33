import { serviceUid } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { egressName, inboundKey, isOutbound, keyFromNrp, nrpName, type OutboundKey, outboundKey } from './nrp-key.ts';

describe('the keys of services', () => {
  it('keep the UID of a Service and the name of an egress gateway apart', () => {
    expect(inboundKey(serviceUid('blue'))).not.toBe(outboundKey(egressName('blue')));
    expect(isOutbound(outboundKey(egressName('blue')))).toBe(true);
    expect(isOutbound(inboundKey(serviceUid('blue')))).toBe(false);
    expectTypeOf(inboundKey(serviceUid('blue'))).not.toExtend<OutboundKey>();
  });

  it('lead to the name in the gateway and back, in any case', () => {
    const key = outboundKey(egressName('Blue.East_1'));
    expect(nrpName(key)).toBe('blue.east_1');
    expect(keyFromNrp('BLUE.east_1', 'outbound')).toBe(key);
  });

  it.each([
    ['', 'begins and ends with a letter or digit'],
    ['-blue', 'begins and ends with a letter or digit'],
    ['blue/green', 'letters, digits, dots'],
    ['Default-NatGW', 'reserved'],
    ['0F8FAD5B-D9CB-469F-A165-70867728950E', 'could be taken for a Service'],
    ['a'.repeat(74), 'at most 73'],
  ])('refuse %j as the name of a gateway, and say why', (label, why) => {
    expect(() => egressName(label)).toThrowError(
      expect.objectContaining({ verdict: 'terminal', code: 'invalid-egress-name' }),
    );
    expect(() => egressName(label)).toThrow(why);
  });

  it('take every label that Kubernetes allows, but for those that are reserved', () => {
    const label = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/);
    fc.assert(
      fc.property(label, (text) => {
        expect(egressName(text)).toBe(text.toLowerCase());
      }),
    );
  });
});
