import type { OpenStackCloud } from './cloud.ts';
import { parseCloudEntry } from './cloud-entry.ts';

const PREFIX = 'OS_';

/** The cloud that OS_AUTH_URL and its like describe; undefined where there is no OS_AUTH_URL. */
export function cloudFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): OpenStackCloud | undefined {
  if ((environment['OS_AUTH_URL'] ?? '') === '') return undefined;
  // OS_USERNAME is `username` in clouds.yaml, and so on throughout.
  const entry = Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith(PREFIX) ? [[name.slice(PREFIX.length).toLowerCase(), value]] : [],
  );
  return parseCloudEntry(Object.fromEntries(entry), 'of the environment (OS_AUTH_URL)');
}
