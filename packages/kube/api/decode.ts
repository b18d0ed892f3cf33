import { FairleadError, isRecord } from '@fairlead/control';
import type { KubeObject } from '../types/meta.ts';
import type { Resource } from './resource.ts';

/** Objects of a list: one page of them, or all. */
export interface Page<Kind extends KubeObject> {
  readonly items: readonly Kind[];
  /** Where a watch goes on from: the same on every page. */
  readonly resourceVersion: string;
  /** Leads to the next page; absent on the last. */
  readonly continueToken?: string;
}

/** The JSON in a response to a request to `path`. */
export function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unexpectedAnswer(path, 'is not JSON', error);
  }
}

/** One page of a list. */
export function toPage<Kind extends KubeObject>(resource: Resource<Kind>, path: string, value: unknown): Page<Kind> {
  if (!isRecord(value) || !isRecord(value['metadata'])) throw unexpectedAnswer(path, 'is not a list');
  const { resourceVersion, continue: continueToken } = value['metadata'];
  const items: unknown[] = Array.isArray(value['items']) ? value['items'] : [];
  return {
    items: items.map((item) => {
      if (!isObjectOf(resource, item)) throw unexpectedAnswer(path, `lists something that is not a ${resource.kind}`);
      return item;
    }),
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    ...(typeof continueToken === 'string' && continueToken !== '' ? { continueToken } : {}),
  };
}

/** The server validates its objects against their schema; what is left to check is that the answer is one. */
export function isObjectOf<Kind extends KubeObject>(resource: Resource<Kind>, value: unknown): value is Kind {
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  if (value['kind'] !== undefined && value['kind'] !== resource.kind) return false;
  return typeof value['metadata']['name'] === 'string';
}

/** Something between us and the API server answered in its place, or the path is not what we think. */
export function unexpectedAnswer(path: string, what: string, cause?: unknown): FairleadError {
  return new FairleadError(`${path}: the answer ${what}; is this the address of a Kubernetes API server?`, {
    verdict: 'retriable',
    code: 'unexpected-answer',
    cause,
  });
}
