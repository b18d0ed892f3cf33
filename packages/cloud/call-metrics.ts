import type { MetricDefinition } from '@fairlead/control';

/** What is counted of the requests to one cloud. */
export interface CallMetrics {
  readonly callsTotal: MetricDefinition;
  readonly callSeconds: MetricDefinition;
}

/** `server` is in their help texts. */
export function callMetrics(callsTotal: string, callSeconds: string, server: string): CallMetrics {
  return {
    callsTotal: {
      name: callsTotal,
      kind: 'counter',
      help: `Requests to ${server}, by verb, kind of resource and result.`,
      labels: ['verb', 'kind', 'result'],
    },
    callSeconds: {
      name: callSeconds,
      kind: 'histogram',
      help: `How long ${server} took to answer a request, by verb and kind of resource.`,
      labels: ['verb', 'kind'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    },
  };
}
