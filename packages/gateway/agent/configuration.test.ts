import { describe, expect, it } from 'vitest';
import { gatewayAgentConfiguration } from './configuration.ts';

const complete = {
  tls: { certificateFile: '/c', keyFile: '/k', authorityFile: '/a' },
  allowedAddresses: ['192.0.2.0/24', '2001:db8::1'],
  vrrp: { interface: 'eth0', address: '198.51.100.1', gateways: ['198.51.100.1', '198.51.100.2'] },
};
const problems = (changed: object) =>
  gatewayAgentConfiguration
    .safeParse({ ...complete, ...changed })
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    .join();

describe('the configuration of an agent', () => {
  it('is read, and read again as it was', () => {
    const once = gatewayAgentConfiguration.parse(complete);
    expect(once).toMatchObject({ listen: ':9443', allowedAddresses: ['192.0.2.0/24', '2001:db8::1/128'] });
    expect(gatewayAgentConfiguration.parse(once)).toEqual(once);
  });

  it.each([
    ['vrrp.gateways: gateways must list this one, too: add 198.51.100.3', { address: '198.51.100.3' }],
    ['vrrp.interface: is no name of a network interface', { interface: 'eth0 {' }],
    ['vrrp.address: VRRP is spoken over IPv4', { address: '2001:db8::1', gateways: ['2001:db8::1'] }],
    ['vrrp.routerId: at most 248, for 8 instances', { routerId: 250, instances: 8 }],
  ])('is refused with: %s', (message, changed) => {
    expect(problems({ vrrp: { ...complete.vrrp, ...changed } })).toContain(message.split(',')[0]);
  });

  it('names one controller, of one kind', () => {
    const chK8sLbaas = { secretFile: '/secret' };
    expect(problems({ tls: undefined })).toContain('set tls, which `fairlead gateway certificates` makes');
    expect(problems({ chK8sLbaas })).toContain('remove chK8sLbaas, or tls');
    expect(problems({ tls: undefined, chK8sLbaas })).toBeUndefined();
  });

  it('is refused where nothing may be served', () => {
    expect(problems({ allowedAddresses: [] })).toContain('allowedAddresses');
    expect(problems({ allowedAddresses: ['everything'] })).toContain('"everything" is no address and no range');
  });
});
