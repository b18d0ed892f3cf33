import { VARIABLE, withDefect } from './defect.ts';

/** For vitest: puts the defect that the environment asks for into the sources; nothing at all without one. */
export function defectPlugins() {
  if (process.env[VARIABLE] === undefined) return [];
  const transform = (source: string, id: string) => withDefect(id.replace(/\?.*$/, ''), source);
  return [{ name: 'fairlead-defect', enforce: 'pre' as const, transform }];
}
