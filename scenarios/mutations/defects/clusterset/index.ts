import type { Defect } from '../../defect.ts';
import { clustersetControllerDefects } from './controller.ts';
import { clustersetDecisionDefects } from './decision.ts';
import { clustersetRecordDefects } from './records.ts';

export const clustersetDefects: readonly Defect[] = [
  ...clustersetDecisionDefects,
  ...clustersetRecordDefects,
  ...clustersetControllerDefects,
];
