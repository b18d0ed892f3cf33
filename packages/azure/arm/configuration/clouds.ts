import { type CloudConfiguration, invalidCloud } from './cloud-configuration.ts';

/** Where a cloud is, and who gives tokens for it. */
export interface CloudEndpoints {
  /** Scheme, host and port of Azure Resource Manager. */
  readonly endpoint: string;
  readonly authorityHost: string;
  /** What a token is asked for. */
  readonly scope: string;
}

const CLOUDS: Readonly<Record<string, CloudEndpoints>> = {
  azurepubliccloud: {
    endpoint: 'https://management.azure.com',
    authorityHost: 'https://login.microsoftonline.com',
    scope: 'https://management.azure.com/.default',
  },
  azurechinacloud: {
    endpoint: 'https://management.chinacloudapi.cn',
    authorityHost: 'https://login.chinacloudapi.cn',
    scope: 'https://management.chinacloudapi.cn/.default',
  },
  azureusgovernmentcloud: {
    endpoint: 'https://management.usgovcloudapi.net',
    authorityHost: 'https://login.microsoftonline.us',
    scope: 'https://management.usgovcloudapi.net/.default',
  },
};
const NAMES = 'AzurePublicCloud, AzureChinaCloud, AzureUSGovernmentCloud';

/** The cloud that is configured, with the endpoint that was named in place of its own. */
export function cloudEndpoints({ cloud, resourceManagerEndpoint }: CloudConfiguration): CloudEndpoints {
  const known = CLOUDS[(cloud ?? 'AzurePublicCloud').toLowerCase()];
  if (known === undefined) throw invalidCloud(`there is no cloud "${cloud}": use one of ${NAMES}`);
  if (resourceManagerEndpoint === undefined) return known;
  return { ...known, endpoint: new URL(resourceManagerEndpoint).origin };
}
