import { afterAll, beforeAll } from 'vitest';
import { type OwnTemporaryFolder, ownTemporaryFolder } from './scripts/own-temporary-folder.ts';

// Each file of tests has a temporary folder of its own, so that what it leaves there is known to be its own.
let own: OwnTemporaryFolder | undefined;

beforeAll(async () => {
  own = await ownTemporaryFolder();
});

afterAll(async () => {
  const left = (await own?.giveBack()) ?? [];
  if (left.length > 0) throw new Error(`left behind in the temporary folder: ${left.join(', ')}`);
});
