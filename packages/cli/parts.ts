import { azureLocalPart } from '@fairlead/azure/local-backends';
import { azureServiceGatewayPart } from '@fairlead/azure/service-gateway';
import { clusterSetPart } from '@fairlead/clusterset';
import { systemOutside } from '@fairlead/clusterset/adapters';
import { dnsPart } from '@fairlead/dns';
import { systemSockets } from '@fairlead/dns/adapters';
import { gatewayAgentPart, gatewayPart } from '@fairlead/gateway';
import { openCloud } from '@fairlead/openstack/client/adapters';
import { octaviaPart } from '@fairlead/openstack/octavia';
import { openStackAddresses } from '@fairlead/openstack/ports';
import type { Part } from '@fairlead/part';

/** Every part that is built in, in the order in which help and documentation list them. */
export const parts: readonly Part[] = [
  gatewayPart(openStackAddresses(openCloud)),
  gatewayAgentPart,
  azureServiceGatewayPart,
  azureLocalPart,
  clusterSetPart(systemOutside),
  dnsPart(systemSockets),
  octaviaPart(openCloud),
];
