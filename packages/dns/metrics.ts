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

export const answersReplaced: MetricDefinition = {
  name: 'fairlead_dns_answers_replaced_total',
  kind: 'counter',
  help: 'Sets of records that were new, or other than before.',
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
  answersReplaced,
];
