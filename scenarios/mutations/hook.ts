// Loaded before a program (`node --import`): puts the defect that the environment asks for into its sources.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { VARIABLE, withDefect } from './defect.ts';

if (process.env[VARIABLE] !== undefined) {
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
      const path = fileURLToPath(url);
      const source = readFileSync(path, 'utf8');
      const changed = withDefect(path, source);
      return changed === source
        ? nextLoad(url, context)
        : { format: 'module-typescript', source: changed, shortCircuit: true };
    },
  });
}
