import type { Defect } from '../../defect.ts';
import { dnsServerDefects } from './server.ts';
import { dnsZoneDefects } from './zone.ts';

export const dnsDefects: readonly Defect[] = [...dnsZoneDefects, ...dnsServerDefects];
