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

const namespaceLimits = z
  .strictObject({
    addresses: z.int().min(1).optional().describe('Addresses that the Services of a namespace may be on.'),
    addressesPerPort: z
      .int()
      .min(1)
      .optional()
      .describe('Addresses on which the Services of a namespace may have the same port number and protocol.'),
    exclusiveAddresses: z
      .int()
      .min(0)
      .optional()
      .describe('Addresses that the Services of a namespace may keep to themselves.'),
  })
  .prefault({});

export const gatewayConfiguration = z.strictObject({
  addresses: z
    .array(addressEntry)
    .superRefine((entries, context) => {
      const message = problemOf(entries);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .describe('Addresses to give out: single ones, CIDRs, or ranges such as 192.0.2.10-192.0.2.20, of either family.'),
  namespaceLimits: namespaceLimits.describe('What one namespace may have at most; what is not named is not limited.'),
});

export type GatewayConfiguration = z.infer<typeof gatewayConfiguration>;
