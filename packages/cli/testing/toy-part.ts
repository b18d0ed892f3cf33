import type { LeaderPart, Part, Permission, ReplicaPart } from '@fairlead/part';
import { z } from 'zod';

/** A part that says of itself what a test has it say. */
export function toyPart(name: string, says: Partial<LeaderPart> = {}, permissions: readonly Permission[] = []): Part {
  return {
    name,
    summary: `The part ${name}.`,
    schema: z.strictObject({}),
    permissions,
    customResources: [],
    metrics: [],
    events: [],
    explains: ['service'],
    commands: [],
    configure: (): LeaderPart => ({
      runs: 'leader',
      start: () => Promise.resolve(),
      plan: async () => ({ changes: [] }),
      explain: async () => undefined,
      status: async () => ({ summary: 'all is well', figures: {} }),
      ...says,
    }),
  };
}

/** One that every replica runs. */
export function toyReplicaPart(name: string, says: Partial<ReplicaPart> = {}): Part {
  return {
    ...toyPart(name),
    configure: (): ReplicaPart => ({
      runs: 'everywhere',
      start: () => Promise.resolve(),
      plan: async () => ({ changes: [] }),
      explain: async () => undefined,
      status: async () => ({ summary: 'all is well', figures: {} }),
      ...says,
    }),
  };
}
