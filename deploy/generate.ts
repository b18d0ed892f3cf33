// `npm run generate`: writes the parts of the chart, and the pages, that follow from what the parts declare.
import { join } from 'node:path';
import { bringUpToDate, outdatedFiles } from './generator/generated-files.ts';
import { fairlead } from './generator/program.ts';

const root = join(import.meta.dirname, '..');
const outdated = await outdatedFiles(root, fairlead);
for (const file of outdated) {
  await bringUpToDate(root, file);
  console.log(`${file.content === undefined ? 'removed' : 'wrote'} ${file.path}`);
}
if (outdated.length === 0) console.log('everything is up to date');
