import { type CloudDialect, type CloudRequest, what } from '@fairlead/cloud';
import { OpenStackError } from './errors.ts';
import { openStackCalls } from './metrics.ts';

/** `account` is the host of the service: what stands before it throttles, and counts reads and writes alike. */
export interface OpenStackRequest extends CloudRequest {
  readonly notFound?: 'stale' | undefined;
}

/** How requests to the services of OpenStack are sent and answered. `server` is in messages, `userAgent` in their logs. */
export function openStackDialect(server: string, userAgent: string): CloudDialect<OpenStackRequest> {
  return {
    cloud: 'OpenStack',
    server,
    metrics: openStackCalls,
    side: () => 'requests',
    headers: ({ headers }, token) => ({
      accept: 'application/json',
      'user-agent': userAgent,
      ...headers,
      ...(token === undefined ? {} : { 'x-auth-token': token.text }),
    }),
    refusal: (request, answer) => {
      const { notFound, mayHaveTakenEffect } = request;
      return new OpenStackError({ what: what(request), notFound, mayHaveTakenEffect }, answer);
    },
    pauseMilliseconds: () => 0,
  };
}
