import type { Defect } from '../defect.ts';
import { cloudDefects } from './cloud.ts';
import { controlDefects } from './control.ts';
import { gatewayDefects } from './gateway.ts';
import { kubeDefects } from './kube.ts';
import { partDefects } from './part.ts';
import { serviceDefects } from './service.ts';

/** Every defect there is: put into the code one at a time, each is found. */
export const defects: readonly Defect[] = [
  ...kubeDefects,
  ...controlDefects,
  ...partDefects,
  ...cloudDefects,
  ...serviceDefects,
  ...gatewayDefects,
];
