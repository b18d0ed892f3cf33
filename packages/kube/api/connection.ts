import type { HttpRequest, HttpResponse } from '@fairlead/control';

/** A request to the API server, without its address and credentials. */
export interface ApiRequest {
  readonly method: HttpRequest['method'];
  /** Begins with a slash; without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** `application/json` unless told otherwise (the patch formats have their own). */
  readonly contentType?: string;
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** True for a watch. */
  readonly streaming?: boolean;
  /** Asked each time it is about to be sent, after all that it has to wait for; when this throws, it is not sent. */
  readonly beforeSending?: (() => void) | undefined;
}

/** A way to an API server: adds the address and the credentials, and turns failures into ApiError. */
export interface ApiConnection {
  /** Resolves for statuses below 400; rejects with an ApiError otherwise, and when no response came. */
  send(request: ApiRequest): Promise<HttpResponse>;
}
