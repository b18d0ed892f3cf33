import { type CallVerb, type CloudDialect, type CloudRequest, isWrite, what } from '@fairlead/cloud';
import { type Random, randomUuid } from '@fairlead/control';
import { armErrorFromAnswer } from '../errors/arm-error.ts';
import type { CallKind } from './call-options.ts';
import { SERVER } from './decode.ts';
import { armCalls } from './metrics.ts';

/** `account` is the subscription. */
export interface ArmRequest extends CloudRequest {
  readonly kind: CallKind;
  readonly notFound?: 'stale' | undefined;
  /** Shared by all requests of one call of ours; Azure's support asks for it. */
  readonly correlationId: string;
}

/** Azure refills ten writes a second or more: after a second there is room again. */
const EMPTY_BUCKET_MILLISECONDS = 1_000;
const REMAINING = 'x-ms-ratelimit-remaining-';

/** How requests to Azure Resource Manager are sent and answered. `userAgent` is who we are in Azure's logs. */
export function armDialect(userAgent: string, random: Random): CloudDialect<ArmRequest> {
  return {
    cloud: 'Azure',
    server: SERVER,
    metrics: armCalls,
    side: sideOf,
    headers({ correlationId, headers: own }, token) {
      const headers: Record<string, string> = {
        accept: 'application/json',
        'user-agent': userAgent,
        'x-ms-correlation-request-id': correlationId,
        'x-ms-client-request-id': randomUuid(random),
        ...own,
      };
      if (token !== undefined) headers['authorization'] = `Bearer ${token.text}`;
      return headers;
    },
    refusal(request, { status, text, retryAfterMilliseconds }) {
      const { correlationId, notFound, mayHaveTakenEffect } = request;
      const call = { what: what(request), correlationId, notFound, mayHaveTakenEffect };
      return armErrorFromAnswer(call, status, text, retryAfterMilliseconds);
    },
    pauseMilliseconds: (headers) => (isBucketEmpty(headers) ? EMPTY_BUCKET_MILLISECONDS : 0),
  };
}

/** Azure has a bucket for each. */
function sideOf(verb: CallVerb): 'reads' | 'writes' | 'deletes' {
  if (verb === 'DELETE') return 'deletes';
  return isWrite(verb) ? 'writes' : 'reads';
}

/** The values are a number, or several as `Microsoft.Network/GetSomething;12,Microsoft.Network/GetOther;0`. */
function isBucketEmpty(headers: Readonly<Record<string, string>>): boolean {
  for (const name in headers) {
    if (name.startsWith(REMAINING) && headers[name]?.split(',').some(saysZero) === true) return true;
  }
  return false;
}

function saysZero(entry: string): boolean {
  return /^\s*0\s*$/.test(entry.slice(entry.lastIndexOf(';') + 1));
}
