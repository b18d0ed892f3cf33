import type { Defect } from '../defect.ts';
import { gatewayDefects } from './gateway.ts';
import { serviceDefects } from './service.ts';

/** Every defect there is: put into the code one at a time, each is found. */
export const defects: readonly Defect[] = [...gatewayDefects, ...serviceDefects];
