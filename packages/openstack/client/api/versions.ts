import { unexpectedAnswer } from '@fairlead/cloud';
import { z } from 'zod';

/** A version of an API: 2.27 is major 2, minor 27. */
export interface ApiVersion {
  readonly major: number;
  readonly minor: number;
}

const shape = z.object({ versions: z.array(z.object({ id: z.string(), status: z.string().optional() })) });

/** The versions in the document that a service has at its root, the newest last. Those that are gone are left out. */
export function parseVersions(what: string, body: unknown): readonly ApiVersion[] {
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw unexpectedAnswer('an OpenStack service', what, 'is not a list of versions');
  return parsed.data.versions
    .filter(({ status }) => status !== 'UNSUPPORTED')
    .flatMap(({ id }) => {
      const [, major, minor = '0'] = /^v(\d+)(?:\.(\d+))?$/.exec(id) ?? [];
      return major === undefined ? [] : [{ major: Number(major), minor: Number(minor) }];
    })
    .sort((left, right) => left.major - right.major || left.minor - right.minor);
}

/** Whether one of the versions has what came with this one: minor versions only ever add. */
export function offersVersion(versions: readonly ApiVersion[], { major, minor }: ApiVersion): boolean {
  return versions.some((one) => one.major === major && one.minor >= minor);
}
