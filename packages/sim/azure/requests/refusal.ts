/** Azure says no, in its own words. Codes are the published ones where Azure publishes any. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The code below the code, where Azure wraps one in another. */
  readonly detail: string | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { readonly headers?: Readonly<Record<string, string>>; readonly detail?: string } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.headers = more.headers ?? {};
    this.detail = more.detail;
  }
}

export const invalid = (code: string, message: string): Refusal => new Refusal(400, code, message);

export const notFound = (id: string): Refusal =>
  new Refusal(404, 'ResourceNotFound', `The resource ${id} was not found.`);

export const invalidReference = (id: string): Refusal =>
  invalid('InvalidResourceReference', `The resource ${id} that the request refers to was not found.`);

export const busy = (id: string): Refusal =>
  new Refusal(409, 'AnotherOperationInProgress', `Another operation on ${id} is in progress.`);

/** Not throttling, although it has the same status: the resource referred to is still being worked on. */
export const notProvisioned = (id: string, state: string): Refusal =>
  new Refusal(429, 'RetryableError', `${id} is in ${state} state.`, {
    headers: { 'retry-after': '10' },
    detail: 'ReferencedResourceNotProvisioned',
  });

/** The body of an error as Azure writes it. */
export function errorBody(refusal: {
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
}) {
  const { code, message, detail } = refusal;
  const details = detail === undefined ? [] : [{ code: detail, message }];
  return { error: { code, message, details } };
}
