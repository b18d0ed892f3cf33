import { familyOf, type IpAddress, parseIpAddress, parseIpRange } from '@fairlead/control';
import { z } from 'zod';

const address = z.string().transform((text, context): IpAddress => {
  const parsed = parseIpAddress(text);
  if (parsed !== undefined) return parsed.address;
  context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} is no IP address` });
  return z.NEVER;
});

/** In canonical form: a single address is a range, too. */
const range = z.string().transform((text, context): string => {
  const parsed = parseIpRange(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);
  if (parsed !== undefined) return parsed.text;
  context.addIssue({
    code: 'custom',
    message: `${JSON.stringify(text)} is no address and no range such as 192.0.2.0/24`,
  });
  return z.NEVER;
});

/** As the kernel has them; what keepalived is given must not be able to end a line. */
const networkInterface = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,15}$/, 'is no name of a network interface, as `ip link` lists them');

const file = z.string().regex(/^\/[^"\n\r\0]*$/, 'is no absolute path of a file');

const vrrp = z
  .strictObject({
    interface: networkInterface.describe('Where clients come from: the addresses are put on it.'),
    address: address.describe('The own address of this gateway on it.'),
    gateways: z
      .array(address)
      .min(1)
      .describe('The own addresses of all gateways of the pool, this one among them, in the same order on each.'),
    routerId: z
      .int()
      .min(1)
      .max(255)
      .default(51)
      .describe('The first VRRP router id; each instance takes one. No other VRRP on this network may use them.'),
    instances: z
      .int()
      .min(1)
      .max(8)
      .default(4)
      .describe('Into how many groups the addresses are spread: each group is on one gateway at a time.'),
    advertMilliseconds: z.int().min(10).max(5_000).default(300).describe('How often the holder of a group says so.'),
    inside: z
      .strictObject({
        interface: networkInterface,
        address: z.string().transform((text, context): string => {
          const [written = '', length = ''] = text.split('/');
          const parsed = parseIpAddress(written);
          if (parsed !== undefined && parseIpRange(text) !== undefined) return `${parsed.address}/${Number(length)}`;
          context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} is no address such as 10.0.0.1/24` });
          return z.NEVER;
        }),
      })
      .optional()
      .describe(
        'The address that backends use as their way back to clients; needed to preserve client addresses. All addresses are on one gateway then.',
      ),
  })
  .superRefine(({ address: own, gateways, routerId, instances }, context) => {
    if (familyOf(own) === 'IPv6') {
      const message = 'VRRP is spoken over IPv4, also for IPv6 addresses: name an IPv4 address of this gateway';
      context.addIssue({ code: 'custom', message, path: ['address'] });
    }
    if (!gateways.includes(own)) {
      context.addIssue({ code: 'custom', message: `gateways must list this one, too: add ${own}`, path: ['gateways'] });
    }
    if (new Set(gateways).size !== gateways.length) {
      context.addIssue({ code: 'custom', message: 'a gateway is listed twice: remove one', path: ['gateways'] });
    }
    if (routerId + instances - 1 > 255) {
      context.addIssue({
        code: 'custom',
        message: `at most ${256 - instances}, for ${instances} instances`,
        path: ['routerId'],
      });
    }
  });
export type VrrpConfiguration = z.infer<typeof vrrp>;

const tls = z.strictObject({
  certificateFile: file.describe('The certificate of this agent.'),
  keyFile: file.describe('Its key.'),
  authorityFile: file.describe('The authority that the certificate of the controller must be signed by.'),
  controller: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'is no DNS name')
    .default('fairlead-controller')
    .describe('The DNS name in the certificate of the controller: no other certificate of the authority is let in.'),
});
export type TlsFiles = z.infer<typeof tls>;

export const gatewayAgentConfiguration = z
  .strictObject({
    listen: z
      .string()
      .regex(/^(\[[0-9a-fA-F:]+\]|[0-9.]*):\d{1,5}$/, 'takes an address and a port, such as 192.0.2.1:9443')
      .default(':9443')
      .describe('Where the controller reaches this agent.'),
    tls: tls.optional().describe('How the controller and this agent know each other.'),
    chK8sLbaas: z
      .strictObject({ secretFile: file.describe('The secret that the controller of ch-k8s-lbaas signs with.') })
      .optional()
      .describe('Takes POST /v1/apply from the controller of ch-k8s-lbaas instead, without TLS, until it is replaced.'),
    allowedAddresses: z
      .array(range)
      .min(1)
      .describe('The addresses that a controller may have this gateway serve; any other is refused.'),
    allowedBackends: z
      .array(range)
      .optional()
      .describe('Where it may send what arrives; everywhere but to itself and to groups where not set.'),
    stateFolder: file.default('/var/lib/fairlead').describe('What it served last is kept here, for after a restart.'),
    vrrp: vrrp
      .optional()
      .describe('How gateways share the addresses; without it, the network has to bring their packets here.'),
  })
  .superRefine(({ tls: ours, chK8sLbaas: theirs }, context) => {
    if ((ours === undefined) !== (theirs === undefined)) return;
    const message =
      ours === undefined
        ? 'set tls, which `fairlead gateway certificates` makes the files of'
        : 'remove chK8sLbaas, or tls: an agent listens to one controller only';
    context.addIssue({ code: 'custom', message, path: ['tls'] });
  });
export type GatewayAgentConfiguration = z.infer<typeof gatewayAgentConfiguration>;
