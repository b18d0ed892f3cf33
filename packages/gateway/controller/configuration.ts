import { messageOf } from '@fairlead/control';
import { z } from 'zod';
import { expandAddresses } from './addresses/static-addresses.ts';

/** Says what is wrong with the entries, if anything. */
function problemOf(entries: readonly string[]): string | undefined {
  try {
    expandAddresses(entries);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const addressEntry = z.string().superRefine((entry, context) => {
  const message = problemOf([entry]);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

export const gatewayConfiguration = z.strictObject({
  addresses: z
    .array(addressEntry)
    .superRefine((entries, context) => {
      const message = problemOf(entries);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .describe('Addresses to give out: single ones, CIDRs, or ranges such as 192.0.2.10-192.0.2.20, of either family.'),
});

export type GatewayConfiguration = z.infer<typeof gatewayConfiguration>;
