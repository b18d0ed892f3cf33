import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Where Fairlead keeps what it built from source: outside the checkout, so that a second clone finds it. */
export function userCacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const configured = environment['XDG_CACHE_HOME'];
  // The XDG specification says that a relative path is to be ignored.
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), '.cache');
  return join(base, 'fairlead');
}
