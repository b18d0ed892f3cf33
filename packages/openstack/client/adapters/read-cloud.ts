import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf, systemCodeOf } from '@fairlead/control';
import { invalidCloud, type OpenStackCloud } from '../configuration/cloud.ts';
import { type CloudsFile, readCloud } from '../configuration/clouds-yaml.ts';
import { cloudFromEnvironment } from '../configuration/environment.ts';

/** Where a part's section says which cloud is meant. */
export interface CloudSource {
  /** The path of a clouds.yaml. Without it: those places where OpenStack's own clients look, then OS_* variables. */
  readonly cloudsFile?: string | undefined;
  /** The name of the cloud in it. Without it OS_CLOUD, or the only one there is. */
  readonly cloud?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds the cloud that is meant, as OpenStack's own clients do. */
export async function readConfiguredCloud(
  source: CloudSource,
  environment: Environment = process.env,
): Promise<OpenStackCloud> {
  const name = source.cloud ?? nonEmpty(environment['OS_CLOUD']);
  const named = source.cloudsFile ?? nonEmpty(environment['OS_CLIENT_CONFIG_FILE']);
  if (named !== undefined) return fromFile({ path: named, text: await required(named) }, name);
  // A person who sets OS_AUTH_URL means it, unless they name a cloud as well.
  const described = name === undefined ? cloudFromEnvironment(environment) : undefined;
  if (described !== undefined) return described;
  const places = usualPlaces(environment);
  for (const path of places) {
    const text = await ifThere(path);
    if (text !== undefined) return fromFile({ path, text }, name);
  }
  throw invalidCloud(`there is no OpenStack to talk to: no OS_AUTH_URL, and no file ${places.join(', ')}`);
}

async function fromFile(clouds: CloudsFile, name: string | undefined): Promise<OpenStackCloud> {
  const path = join(dirname(clouds.path), 'secure.yaml');
  const text = await ifThere(path);
  return readCloud(clouds, text === undefined ? undefined : { path, text }, name);
}

function usualPlaces(environment: Environment): readonly string[] {
  const settings = nonEmpty(environment['XDG_CONFIG_HOME']) ?? join(environment['HOME'] ?? homedir(), '.config');
  return ['clouds.yaml', join(settings, 'openstack', 'clouds.yaml'), '/etc/openstack/clouds.yaml'];
}

async function required(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw invalidCloud(`cannot read the file of clouds ${path}: ${messageOf(error)}`, error);
  }
}

async function ifThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw invalidCloud(`cannot read the file of clouds ${path}: ${messageOf(error)}`, error);
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
