import type { CallOptions } from '@fairlead/sim/kube/contract';

/**
 * A request that can be sent to any server. What only the server knows stands in angle brackets: `<ns>`, the
 * namespace of the run; `<version PATH>` and `<uid PATH>`, of the object there; `<continue PATH>`, of the list there;
 * `<start>`, the version at which the run began.
 */
export interface FuzzRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  readonly path: string;
  readonly body?: string;
}

export const REFERENCE = /<(ns|start|(?:version|uid|continue) (?:[^<>]|<ns>|<start>)+)>/g;

export function isWatch({ method, path }: FuzzRequest): boolean {
  return method === 'GET' && /[?&]watch=(?!0|false)/.test(path);
}
