import type { JsonObject } from '../json.ts';

/** A service says no, in its own words. */
export class Refusal extends Error {
  readonly status: number;
  /** Neutron's name for it. */
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.type = type;
    this.headers = headers;
  }
}

export const badRequest = (message: string): Refusal => new Refusal(400, 'HTTPBadRequest', message);

/** Of a path that leads nowhere, in place of an object that is not there. */
export const noSuchPath = (): Refusal => new Refusal(404, 'HTTPNotFound', 'The resource could not be found.');

/** What Neutron answers where it fails itself. */
export const internalError = (): Refusal =>
  new Refusal(500, 'HTTPInternalServerError', 'Request Failed: internal server error while processing your request.');

export const UNAUTHORIZED = 'The request you have made requires authentication.';

const TITLES: Readonly<Record<number, string>> = { 400: 'Bad Request', 401: 'Unauthorized', 404: 'Not Found' };

/** As Keystone writes it, and the middleware before the other services. */
export function keystoneError({ status, message }: Refusal): JsonObject {
  return { error: { code: status, message, title: TITLES[status] ?? 'Error' } };
}

export function neutronError({ type, message }: Refusal): JsonObject {
  return { NeutronError: { type, message, detail: '' } };
}
