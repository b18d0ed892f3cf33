import type { MetricDefinition } from '@fairlead/control';
import {
  openConnections,
  packetsDropped,
  queriesForwarded,
  questionsAsked,
  repliesSent,
  repliesTruncated,
} from './server/index.ts';

export const zoneNames: MetricDefinition = {
  name: 'fairlead_dns_names',
  kind: 'gauge',
  help: 'Names of the zone.',
};

export const zoneServices: MetricDefinition = {
  name: 'fairlead_dns_services',
  kind: 'gauge',
  help: 'Services of the clusterset of which anything is known.',
};

export const answersEncoded: MetricDefinition = {
  name: 'fairlead_dns_answers_encoded_total',
  kind: 'counter',
  help: 'Sets of records that were encoded because they changed.',
};

export const dnsMetrics: readonly MetricDefinition[] = [
  repliesSent,
  questionsAsked,
  repliesTruncated,
  packetsDropped,
  queriesForwarded,
  openConnections,
  zoneNames,
  zoneServices,
  answersEncoded,
];
