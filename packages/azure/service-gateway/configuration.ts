import { messageOf } from '@fairlead/control';
import { z } from 'zod';
import { apiVersionSince, azureSection, isArmId, namesOneCloud, ONE_CLOUD } from '../arm/index.ts';
import { ALL_OTHERS, type EgressPolicy } from './cluster/egress-pod.ts';
import { egressName } from './engine/nrp-key.ts';

/** The oldest that has service gateways; from 2025-09-01 on, updates of addresses and services are answered at once. */
const FIRST_API_VERSION = '2025-05-01';

const gateway = z
  .string()
  .superRefine((name, context) => {
    try {
      egressName(name);
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error) });
    }
  })
  .describe('The egress gateway, as pods name it in their label.');

const publicIpAddress = z
  .string()
  .refine((id) => isArmId('publicIPAddresses', id), 'is no id of a public IP address')
  .optional();

const egressGateway = z.strictObject({
  gateway,
  keepAddresses: z
    .boolean()
    .default(false)
    .describe('Whether its public addresses stay when its last pod goes, for those who let them in.'),
  publicIpAddress: publicIpAddress.describe('The id of a public IPv4 address of your own, of SKU StandardV2.'),
  publicIpAddressV6: publicIpAddress.describe('The id of a public IPv6 address of your own, of SKU StandardV2.'),
});

const egressRule = z.strictObject({
  gateway: z
    .union([z.literal(ALL_OTHERS), gateway])
    .describe('The egress gateway, as pods name it in their label; "*" for all that no other rule names.'),
  namespaces: z.array(z.string().min(1)).describe('The namespaces whose pods may use it; no others may.'),
});

function namesEachOnce(list: readonly { readonly gateway: string }[]): boolean {
  return new Set(list.map(({ gateway: name }) => name.toLowerCase())).size === list.length;
}

const addressLocations = z
  .strictObject({
    maximumAddresses: z.int().min(1).max(100_000).default(5_000).describe('Addresses in one request at most.'),
    maximumKilobytes: z.int().min(1).max(100_000).default(2_000).describe('Kilobytes in one request at most.'),
  })
  .prefault({});

export const serviceGatewayConfiguration = z
  .strictObject({
    ...azureSection,
    gatewayName: z
      .string()
      .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,78}[A-Za-z0-9_])?$/, 'is no name of a resource in Azure')
      .default('fairlead')
      .describe('The service gateway in Azure. It is created when it is not there.'),
    defaultOutbound: z
      .boolean()
      .default(true)
      .describe('Whether a default outbound service is made where the gateway has none.'),
    comparisonIntervalSeconds: z
      .int()
      .min(0)
      .refine((seconds) => seconds === 0 || seconds >= 30, 'must be 30 or more, or 0 for never')
      .default(600)
      .describe('How often all of Azure is compared with what should be there; 0: never, but when something is amiss.'),
    addressLocations: addressLocations.describe('How much goes into one update of addresses.'),
    annotations: z
      .enum(['refuse', 'warn'])
      .default('refuse')
      .describe('What becomes of a Service with annotations for Azure that are not honoured and do no harm.'),
    egressGateways: z
      .array(egressGateway)
      .default([])
      .refine(namesEachOnce, 'names a gateway twice')
      .describe('Egress gateways whose public addresses others know. All others have addresses that come and go.'),
    egressPolicy: z
      .array(egressRule)
      .default([])
      .refine(namesEachOnce, 'names a gateway twice')
      .describe(
        'Which namespaces may use which egress gateway. A gateway that is not named here is open to all, unless "*" is.',
      ),
  })
  .refine(namesOneCloud, ONE_CLOUD)
  .refine(...apiVersionSince(FIRST_API_VERSION, 'older ones know no service gateways'));

export type ServiceGatewayConfiguration = z.infer<typeof serviceGatewayConfiguration>;

export function egressPolicy({ egressPolicy: rules }: ServiceGatewayConfiguration): EgressPolicy {
  return new Map(
    rules.map(({ gateway: name, namespaces: allowed }) => [
      name === ALL_OTHERS ? ALL_OTHERS : egressName(name),
      new Set(allowed),
    ]),
  );
}
