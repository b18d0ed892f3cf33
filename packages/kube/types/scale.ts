import type { KubeObject } from './meta.ts';

/** How many replicas something has and should have. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}
