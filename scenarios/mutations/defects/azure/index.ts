import type { Defect } from '../../defect.ts';
import { azureAddressDefects } from './addresses.ts';
import { forgedInputDefects } from './forged-input.ts';
import { localBackendsDefects } from './local-backends.ts';
import { azurePodDefects } from './pods.ts';
import { serviceGatewayDefects } from './service-gateway.ts';

export const azureDefects: readonly Defect[] = [
  ...azurePodDefects,
  ...serviceGatewayDefects,
  ...localBackendsDefects,
  ...azureAddressDefects,
  ...forgedInputDefects,
];
