import { expect, it } from 'vitest';
import { SHELLS } from './shells.ts';

it.each(['zsh', 'fish'] as const)('in %s a summary ends no quotation of the script', (shell) => {
  const entries = [{ command: '', words: [{ name: 'plan', summary: "the cluster's" }] }];
  const script = SHELLS[shell]({ entries, options: [] });
  expect(script).toContain('the cluster’s');
});
