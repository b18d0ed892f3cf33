import type { ConfiguredPart, LeaderPart, Part, ReplicaPart } from '@fairlead/part';
import type { Configuration } from './configuration/schema.ts';

/** A part that the configuration switches on. */
export interface ActivePart {
  readonly part: Part;
  readonly configured: ConfiguredPart;
  /** Its section of the configuration, as the schema accepted it. */
  readonly section: unknown;
}

/** A part that can be asked what it would do, and why. */
export interface ClusterPart extends ActivePart {
  readonly configured: LeaderPart | ReplicaPart;
}

/** Those that run in a cluster. */
export function clusterParts(active: readonly ActivePart[]): readonly ClusterPart[] {
  return active.flatMap(({ configured, ...rest }) => (configured.runs === 'node' ? [] : [{ ...rest, configured }]));
}

/** The parts that have a section in the configuration, in the order in which they are built in. */
export function activeParts(configuration: Configuration, parts: readonly Part[]): readonly ActivePart[] {
  return parts.flatMap((part) => {
    const section: unknown = configuration.parts[part.name];
    return section === undefined ? [] : [{ part, section, configured: part.configure(section) }];
  });
}
