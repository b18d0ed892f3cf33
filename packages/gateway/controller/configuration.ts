import { messageOf } from '@fairlead/control';
import { z } from 'zod';
import { expandAddresses } from './static-addresses.ts';

const addressEntry = z.string().superRefine((entry, context) => {
  try {
    expandAddresses([entry]);
  } catch (error) {
    context.addIssue({ code: 'custom', message: messageOf(error) });
  }
});

export const gatewayConfiguration = z.strictObject({
  addresses: z
    .array(addressEntry)
    .describe('Addresses to give out: single ones, CIDRs, or ranges such as 192.0.2.10-192.0.2.20, of either family.'),
});

export type GatewayConfiguration = z.infer<typeof gatewayConfiguration>;
