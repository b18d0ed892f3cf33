// `npm run lock`, after a change of dependencies. A registry mirror may lack the packages for other platforms; npm then
// leaves them out of the lock file, and `npm ci` refuses that file everywhere. This puts them back.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completeLock } from './lock-file.ts';

const path = join(import.meta.dirname, '..', 'package-lock.json');
const { lock, added } = completeLock(JSON.parse(await readFile(path, 'utf8')));
if (added.length > 0) await writeFile(path, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(added.length === 0 ? 'package-lock.json is complete' : `added to package-lock.json: ${added.join(', ')}`);
