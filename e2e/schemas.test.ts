import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { generatedSchemas, SCHEMAS_FILE } from './harness/schemas.ts';

it('the simulated API has the schemas of the real one: else run `npm run generate:schemas`', async () => {
  expect(await readFile(SCHEMAS_FILE, 'utf8')).toBe(await generatedSchemas());
});
