import type { Defect } from '../defect.ts';
import { azureDefects } from './azure/index.ts';
import { cliDefects } from './cli.ts';
import { cliLookDefects } from './cli-looks.ts';
import { cliReportDefects } from './cli-reports.ts';
import { cloudDefects } from './cloud.ts';
import { clustersetDefects } from './clusterset/index.ts';
import { controlDefects } from './control.ts';
import { openStackDefectsFromSources } from './from-sources/openstack.ts';
import { octaviaDefectsFromSources } from './from-sources/octavia.ts';
import { clustersetDefectsFromSources } from './from-sources/clusterset.ts';
import { azurePartDefectsFromSources } from './from-sources/azure-parts.ts';
import { azureDefectsFromSources } from './from-sources/azure.ts';
import { dnsDefectsFromSources } from './from-sources/dns.ts';
import { commandLineDefectsFromSources } from './from-sources/command-line.ts';
import { cloudDefectsFromSources } from './from-sources/cloud.ts';
import { controlDefectsFromSources } from './from-sources/control.ts';
import { gatewayDefectsFromSources } from './from-sources/gateway.ts';
import { kubeDefectsFromSources } from './from-sources/kube.ts';
import { partDefectsFromSources } from './from-sources/part.ts';
import { serviceDefectsFromSources } from './from-sources/service.ts';
import { dnsDefects } from './dns/index.ts';
import { gatewayAddressDefects } from './gateway/addresses.ts';
import { gatewayAgentDefects } from './gateway/agent.ts';
import { gatewayProgrammingDefects } from './gateway/gateways.ts';
import { gatewayServiceDefects } from './gateway/services.ts';
import { kubeWritingDefects } from './kube/clients-and-writes.ts';
import { kubeLeadingDefects } from './kube/leaders.ts';
import { kubeReadingDefects } from './kube/watches-and-caches.ts';
import { octaviaDefects } from './octavia/index.ts';
import { openStackDefects } from './openstack.ts';
import { partDefects } from './part.ts';
import { serviceDefects } from './service.ts';
import { stumbleDefects } from './stumbles/index.ts';

/** Every defect there is: put into the code one at a time, each is found. */
export const defects: readonly Defect[] = [
  ...kubeReadingDefects,
  ...kubeWritingDefects,
  ...kubeLeadingDefects,
  ...controlDefects,
  ...partDefects,
  ...cloudDefects,
  ...cliDefects,
  ...cliReportDefects,
  ...cliLookDefects,
  ...azureDefects,
  ...serviceDefects,
  ...gatewayAddressDefects,
  ...gatewayProgrammingDefects,
  ...gatewayServiceDefects,
  ...kubeDefectsFromSources,
  ...controlDefectsFromSources,
  ...partDefectsFromSources,
  ...cloudDefectsFromSources,
  ...serviceDefectsFromSources,
  ...gatewayDefectsFromSources,
  ...gatewayAgentDefects,
  ...clustersetDefects,
  ...dnsDefects,
  ...openStackDefects,
  ...octaviaDefects,
  ...openStackDefectsFromSources,
  ...octaviaDefectsFromSources,
  ...clustersetDefectsFromSources,
  ...azureDefectsFromSources,
  ...azurePartDefectsFromSources,
  ...dnsDefectsFromSources,
  ...commandLineDefectsFromSources,
  ...stumbleDefects,
];
