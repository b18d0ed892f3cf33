import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { goModuleDirectory } from '../../scripts/go-module.ts';

/** The peer's client, which ships what Azure answered to its own tests. Read where Go keeps it; nothing is copied. */
const MODULE = {
  path: 'sigs.k8s.io/cloud-provider-azure/pkg/azclient',
  version: 'v0.21.0',
  sum: 'h1:Wc+0EuDqehOYz/o7cqY0vEQuzkrG69xG+M2AG+LVFTo=',
};

export const RECORDED_KINDS = [
  'virtualnetwork',
  'subnet',
  'securitygroup',
  'publicipaddress',
  'loadbalancer',
  'backendaddresspool',
  'natgateway',
  'servicegateway',
] as const;
export const RECORDED_CLOUDS = ['AZURECLOUD', 'AZURECHINACLOUD'] as const;

const headers = z.record(z.string(), z.array(z.string())).transform((lists) => {
  const entries = Object.entries(lists).map(([name, [value = '']]) => [name.toLowerCase(), value] as const);
  return new Map(entries);
});
const cassette = z.object({
  interactions: z.array(
    z.object({
      id: z.number(),
      request: z.object({
        method: z.enum(['GET', 'PUT', 'POST', 'PATCH', 'DELETE']),
        url: z.string(),
        headers,
        body: z.string(),
      }),
      response: z.object({ code: z.number(), headers, body: z.string() }),
    }),
  ),
});

/** One request, and what Azure answered. */
export type Interaction = z.infer<typeof cassette>['interactions'][number];

export interface Recording {
  readonly kind: (typeof RECORDED_KINDS)[number];
  readonly cloud: (typeof RECORDED_CLOUDS)[number];
  /** In the order in which they happened, without those about the resource group itself. */
  readonly interactions: readonly Interaction[];
  /** The resource group that was made for it: `/subscriptions/ID/resourceGroups/NAME`. */
  readonly group: string;
}

export async function readRecording(kind: Recording['kind'], cloud: Recording['cloud']): Promise<Recording> {
  const folder = await goModuleDirectory(MODULE);
  const text = await readFile(join(folder, `${kind}client`, 'testdata', `${cloud}.yaml`), 'utf8');
  const { interactions } = cassette.parse(parse(text));
  const group = new URL(interactions[0]?.request.url ?? '').pathname.replace('/resourcegroups/', '/resourceGroups/');
  return { kind, cloud, group, interactions: interactions.filter(({ request }) => isOfTheNetwork(request.url)) };
}

function isOfTheNetwork(url: string): boolean {
  return new URL(url).pathname.includes('/providers/Microsoft.Network/');
}
