import type { CallMetrics } from './call-metrics.ts';
import type { CloudError } from './cloud-error.ts';
import type { CallVerb, CloudRequest } from './request.ts';
import type { AccessToken } from './tokens.ts';

/** An answer of 400 or more. */
export interface RefusedAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The delay that the cloud asked for, if that could be understood. */
  readonly retryAfterMilliseconds: number | undefined;
}

/** What differs from cloud to cloud in how a request is sent and answered. */
export interface CloudDialect<Request extends CloudRequest> {
  /** In messages, and in the names of throttle gates: `Azure`. */
  readonly cloud: string;
  /** What is to be found at the configured address: `Azure Resource Manager`. */
  readonly server: string;
  readonly metrics: CallMetrics;
  /** Which requests of an account the cloud throttles together: its `writes`, say. */
  side(verb: CallVerb): string;
  /** All headers, those of the request and its token included; those about the body are added. */
  headers(request: Request, token: AccessToken | undefined): Record<string, string>;
  refusal(request: Request, answer: RefusedAnswer): CloudError;
  /** For how long nothing more is to be sent, as an answer's headers say that the budget is used up; 0 if they do not. */
  pauseMilliseconds(headers: Readonly<Record<string, string>>): number;
}
