import type { Defect } from '../../defect.ts';
import { addressTagsDefects } from './address-tags.ts';
import { azureAddressDefects } from './addresses.ts';
import { failedOperationsDefects } from './failed-operations.ts';
import { forgedInputDefects } from './forged-input.ts';
import { fullNodesDefects } from './full-nodes.ts';
import { localBackendsDefects } from './local-backends.ts';
import { azurePodDefects } from './pods.ts';
import { resourceLockDefects } from './resource-lock.ts';
import { serviceGatewayDefects } from './service-gateway.ts';
import { vanishedServicesDefects } from './vanished-services.ts';

export const azureDefects: readonly Defect[] = [
  ...azurePodDefects,
  ...serviceGatewayDefects,
  ...localBackendsDefects,
  ...fullNodesDefects,
  ...failedOperationsDefects,
  ...azureAddressDefects,
  ...addressTagsDefects,
  ...forgedInputDefects,
  ...vanishedServicesDefects,
  ...resourceLockDefects,
];
