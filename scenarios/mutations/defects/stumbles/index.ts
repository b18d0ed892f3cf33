import type { Defect } from '../../defect.ts';
import { askingDefects } from './asking.ts';
import { checkingDefects } from './checking.ts';
import { configuringDefects } from './configuring.ts';
import { installingDefects } from './installing.ts';
import { loggingDefects } from './logging.ts';
import { planningDefects } from './planning.ts';
import { tryingOutDefects } from './trying-out.ts';

/** What people stumbled over who tried Fairlead for the first time: each puts the old behaviour back. */
export const stumbleDefects: readonly Defect[] = [
  ...askingDefects,
  ...planningDefects,
  ...checkingDefects,
  ...loggingDefects,
  ...tryingOutDefects,
  ...configuringDefects,
  ...installingDefects,
].map((defect) => ({ ...defect, isStumble: true }));
