import { isRecord, messageOf } from '@fairlead/control';
import { parse } from 'yaml';
import { invalidCloud, type OpenStackCloud } from './cloud.ts';
import { parseCloudEntry } from './cloud-entry.ts';

/** A file of clouds; `path` names it in messages. */
export interface CloudsFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The cloud of this name in clouds.yaml; without a name, the only one there is. Secrets may stand in a secure.yaml of
 * the same shape, which wins.
 */
export function readCloud(
  clouds: CloudsFile,
  secure: CloudsFile | undefined,
  name: string | undefined,
): OpenStackCloud {
  const known = cloudsIn(clouds);
  const chosen = name ?? onlyOne(clouds.path, known);
  const entry = known[chosen];
  if (entry === undefined || !Object.hasOwn(known, chosen)) {
    throw invalidCloud(`${clouds.path} has no cloud "${chosen}": it has ${listed(known)}`);
  }
  const secrets = secure === undefined ? {} : cloudsIn(secure);
  const merged = Object.hasOwn(secrets, chosen) ? mergedDeep(entry, secrets[chosen]) : entry;
  return parseCloudEntry(merged, `"${chosen}"`);
}

function cloudsIn({ path, text }: CloudsFile): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw invalidCloud(`${path} is not YAML: ${messageOf(error).split('\n', 1).join('')}`, error);
  }
  if (!isRecord(content) || !isRecord(content['clouds'])) throw invalidCloud(`${path} has no list "clouds"`);
  return content['clouds'];
}

function onlyOne(path: string, clouds: Readonly<Record<string, unknown>>): string {
  const [only, ...others] = Object.keys(clouds);
  if (only !== undefined && others.length === 0) return only;
  throw invalidCloud(`say which cloud of ${path} is meant: it has ${listed(clouds)}`);
}

function listed(clouds: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(clouds).map((name) => `"${name}"`);
  return names.length === 0 ? 'none' : names.join(', ');
}

function mergedDeep(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over ?? base;
  const changed = Object.entries(over).map(([key, value]) => [key, mergedDeep(base[key], value)]);
  return { ...base, ...Object.fromEntries(changed) };
}
