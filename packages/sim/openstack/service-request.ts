import type { Json, JsonObject } from '../json.ts';

/** A request to Neutron or Octavia, taken apart. */
export interface ServiceRequest {
  readonly method: string;
  /** Up to the version: links begin with it. */
  readonly root: string;
  readonly kind: string;
  readonly id?: string | undefined;
  readonly action?: string | undefined;
  readonly item?: string | undefined;
  readonly query: URLSearchParams;
  readonly ifMatch?: string | undefined;
  readonly body: JsonObject | undefined;
}

export interface ServiceAnswer {
  readonly status: number;
  /** Undefined where there is none. */
  readonly body: Json | undefined;
}
