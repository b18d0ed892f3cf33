import { expect, it } from 'vitest';
import { readmeFile } from './readme-file.ts';

it('a bar in what a value is for ends no column of the README', () => {
  const value = { type: 'string', default: 'a', description: 'Either a|b.' } as const;
  const page = readmeFile({ type: 'object', properties: { value } }, 'Lamps');
  expect(page).toContain('| `value` | `"a"` | Either a\\|b. |');
});
