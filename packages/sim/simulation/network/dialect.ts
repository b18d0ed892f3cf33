import type { HttpRequest } from '@fairlead/control';

/** A request as a person would name it. */
export interface RequestName {
  /** What is called, the same for every object: `patch services/status`. */
  readonly name: string;
  /** Which object it is about: `default/web`; empty when about none. */
  readonly subject: string;
}

/** An answer that the network makes up in the server's name. */
export interface Refusal {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How requests of one kind of server are named, and how that server says no. */
export interface Dialect {
  name(request: HttpRequest): RequestName;
  /** The statuses with which this server may turn the request down. */
  refusals(request: HttpRequest): readonly number[];
  refusal(status: number, request: HttpRequest): Refusal;
  /** The statuses with which it may end a stream from within, and how it writes them. */
  readonly streamErrors: readonly number[];
  streamError(status: number): string;
}

/** Method and path, and empty bodies: for servers without a dialect of their own. */
export const plainDialect: Dialect = {
  name: (request) => ({ name: request.method, subject: pathOf(request.url) }),
  refusals: () => [429, 500, 503],
  refusal: () => ({ headers: {}, body: '' }),
  streamErrors: [],
  streamError: () => '',
};

/** The path of an absolute address, without its query. */
export function pathOf(url: string): string {
  const host = url.indexOf('//') + 2;
  const start = url.indexOf('/', host);
  if (start < 0) return '/';
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

export function isWrite(request: HttpRequest): boolean {
  return request.method !== 'GET' && request.method !== 'HEAD';
}
