// `npm run bundle [-- FOLDER]`: the program as a few files that need nothing but Node, in `dist` unless told otherwise.
import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundleProgram } from './bundle-program.ts';

const usual = join(import.meta.dirname, '..', 'dist');
const [folder = usual] = process.argv.slice(2);
// Only this folder is ours to empty: the names of the lazy files change with their content.
if (folder === usual) await rm(folder, { recursive: true, force: true });
for (const path of await bundleProgram(resolve(folder))) {
  console.log(`${path}  ${Math.ceil((await stat(path)).size / 1024)} KB`);
}
