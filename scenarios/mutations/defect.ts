/** A defect that is put into the code to see whether the suites notice: a piece of source, and what stands there instead. */
export interface Defect {
  /** What is wrong with the code then: a sentence. */
  readonly name: string;
  /** From the root of the checkout. */
  readonly file: string;
  /** Occurs once in the file: a defect that no longer applies fails the run. */
  readonly find: string;
  readonly replace: string;
  /** What must fail: the tests of a file or folder, without or with a real cluster, or a simulation within so many seeds. */
  readonly foundBy: FoundBy;
  /** A person who tried Fairlead stumbled over it: `npm run mutations -- stumble` puts all of these into the code. */
  readonly isStumble?: true;
}

export type FoundBy =
  | { readonly unit: string }
  | { readonly e2e: string }
  | { readonly sim: string; readonly seeds: number; readonly from?: number };

/** The environment variable that carries a defect to the processes it is to be in. */
export const VARIABLE = 'FAIRLEAD_DEFECT';

/** The source of a file, with the defect that the environment asks for in it. */
export function withDefect(path: string, source: string): string {
  const text = process.env[VARIABLE];
  if (text === undefined || text === '') return source;
  const { file, find, replace }: Defect = JSON.parse(text);
  return path.endsWith(`/${file}`) ? applied({ file, find, replace }, source) : source;
}

export function applied({ file, find, replace }: Pick<Defect, 'file' | 'find' | 'replace'>, source: string): string {
  const pieces = source.split(find);
  if (pieces.length !== 2)
    throw new Error(`${file}: ${JSON.stringify(find)} occurs ${pieces.length - 1} times, not once`);
  return pieces.join(replace);
}
