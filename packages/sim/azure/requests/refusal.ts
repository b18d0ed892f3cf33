const FAILURE_CAUSE = 'x-ms-failure-cause';

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

  /** Said before the request reached the network provider: nothing was counted. */
  get isOfGateway(): boolean {
    return this.headers[FAILURE_CAUSE] === 'gateway';
  }
}

export const invalid = (code: string, message: string): Refusal => new Refusal(400, code, message);

const OF_GATEWAY = { headers: { [FAILURE_CAUSE]: 'gateway' } };

export const notFound = (id: string): Refusal =>
  new Refusal(404, 'ResourceNotFound', `The resource ${id} was not found.`, OF_GATEWAY);

export const groupNotFound = (id: string): Refusal =>
  new Refusal(404, 'ResourceGroupNotFound', `The resource group of ${id} could not be found.`, OF_GATEWAY);

/** The resource is there, and has no such child. */
export const childNotFound = (id: string): Refusal => new Refusal(404, 'NotFound', `Resource ${id} not found.`);

export const preconditionFailed = (): Refusal =>
  new Refusal(412, 'PreconditionFailed', 'Precondition failed.', { detail: 'PreconditionFailedEtagMismatch' });

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

/** Azure failed at the resource referred to: this stays so until it is written again. */
export const failedReference = (id: string): Refusal =>
  invalid('ReferencedResourceNotProvisioned', `${id} is not in Succeeded state. Resource is in Failed state.`);

/** The body of an error as Azure writes it. */
export function errorBody(refusal: {
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly isOfGateway?: boolean;
}) {
  const { code, message, detail, isOfGateway = false } = refusal;
  if (isOfGateway) return { error: { code, message } };
  const details = detail === undefined ? [] : [{ code: detail, message }];
  return { error: { code, message, details } };
}
