import type { Stage } from '../stage.ts';

/** Paths of the scene's own collections. */
export function core({ namespace }: Stage, plural: string): string {
  return `/api/v1/namespaces/${namespace}/${plural}`;
}

export function grouped({ namespace }: Stage, groupVersion: string, plural: string): string {
  return `/apis/${groupVersion}/namespaces/${namespace}/${plural}`;
}
