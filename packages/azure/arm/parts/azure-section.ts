import { type CallVerb, isWrite } from '@fairlead/cloud';
import { z } from 'zod';
import { API_VERSION, type ArmClientOptions } from '../client/client.ts';
import { REQUEST_DEADLINE_MILLISECONDS } from '../client/deadlines.ts';
import { cloudConfiguration } from '../configuration/cloud-configuration.ts';

const USUAL_SECONDS = REQUEST_DEADLINE_MILLISECONDS / 1_000;

const deadlines = z.strictObject({
  readSeconds: seconds(USUAL_SECONDS, 'a read'),
  writeSeconds: seconds(USUAL_SECONDS, 'a PUT or DELETE'),
  actionSeconds: seconds(
    2 * USUAL_SECONDS,
    'an update of the service gateway, which Azure answers only when it is done',
  ),
});
const DEFAULT_DEADLINES = deadlines.parse({});

function seconds(usual: number, what: string) {
  return z.int().min(1).max(600).default(usual).describe(`For ${what}.`);
}

/** What every part on Azure has in its section of the configuration. */
export const azureSection = {
  apiVersion: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/, 'is no API version, such as 2026-01-01')
    .optional()
    .describe(`The version of the network API, for a cloud that lags behind. Unset: ${API_VERSION}.`),
  deadlines: deadlines
    .optional()
    .describe('When a request is given up. The Lease of the leader is long enough to outlive a write.'),
  cloud: cloudConfiguration.optional().describe('What azure.json would say, with the same keys.'),
  cloudFile: z.string().min(1).optional().describe('The path of azure.json, in place of cloud.'),
  clusterId: z
    .string()
    .optional()
    .describe('Marks what is ours in Azure. Unset: the UID of the kube-system namespace.'),
};

type AzureSection = z.infer<z.ZodObject<typeof azureSection>>;

/** Where a part's section says how to get to Azure: in itself, or in an azure.json. */
export type CloudSource = Pick<AzureSection, 'cloud' | 'cloudFile' | 'apiVersion' | 'deadlines'>;

/** What a section says about the client. */
export type SectionClientOptions = Pick<
  ArmClientOptions,
  'apiVersion' | 'requestDeadlineMilliseconds' | 'deadlineAdvice'
>;

/** What of it is for the client. */
export function clientOptionsOf({ apiVersion, deadlines: given }: CloudSource): SectionClientOptions {
  const requestDeadlineMilliseconds = (verb: CallVerb) => deadlineMilliseconds(given, verb);
  const deadlineAdvice = (verb: CallVerb) => `raise deadlines.${deadlineKey(verb)}`;
  return { requestDeadlineMilliseconds, deadlineAdvice, ...(apiVersion === undefined ? {} : { apiVersion }) };
}

/** How long the longest write takes of a part that makes such calls: what its Lease has to outlive. */
export function longestMillisecondsOf(verbs: readonly CallVerb[], { deadlines: given }: CloudSource): number {
  return Math.max(...verbs.map((verb) => deadlineMilliseconds(given, verb)));
}

function deadlineMilliseconds(given: CloudSource['deadlines'], verb: CallVerb): number {
  return (given ?? DEFAULT_DEADLINES)[deadlineKey(verb)] * 1_000;
}

function deadlineKey(verb: CallVerb): keyof z.infer<typeof deadlines> {
  if (!isWrite(verb)) return 'readSeconds';
  return verb === 'POST' ? 'actionSeconds' : 'writeSeconds';
}

/** The refinement of each such section. */
export function namesOneCloud({ cloud, cloudFile }: Pick<CloudSource, 'cloud' | 'cloudFile'>): boolean {
  return (cloud === undefined) !== (cloudFile === undefined);
}

export const ONE_CLOUD = {
  message: 'needs either cloud, with the keys of azure.json, or cloudFile, with the path of one',
};

/** A refinement of a section: the oldest API version that carries what a part needs, and what is missing before it. */
export function apiVersionSince(
  oldest: string,
  missing: string,
): readonly [
  isNewEnough: (section: Pick<CloudSource, 'apiVersion'>) => boolean,
  issue: { path: string[]; message: string },
] {
  const message = `must be ${oldest} or later: ${missing}`;
  return [({ apiVersion = oldest }) => apiVersion >= oldest, { path: ['apiVersion'], message }];
}

/** The section of a part in the demo, whose emulated Azure is at this address. */
export function demoSection(resourceManagerEndpoint = '') {
  const network = { vnetName: 'demo', subnetName: 'nodes' };
  const subscriptionId = '00000000-0000-0000-0000-000000000000';
  const place = { subscriptionId, resourceGroup: 'demo', location: 'westeurope', ...network, resourceManagerEndpoint };
  // Azure itself, unlike an emulator of it, wants to know who asks.
  const credentials = resourceManagerEndpoint.startsWith('https:') ? { useManagedIdentityExtension: true } : {};
  return { cloud: { ...place, ...credentials }, clusterId: 'demo' };
}
