import type { Bench } from './bench.ts';
import { clusterSetBench } from './clusterset/clusterset-bench.ts';
import { dnsBench } from './dns/dns-bench.ts';
import { gatewayAgentBench } from './gateway-agent/gateway-agent-bench.ts';
import { localBackendsBench } from './local-backends/local-backends-bench.ts';
import { octaviaBench } from './octavia/octavia-bench.ts';
import { serviceGatewayBench } from './service-gateway/service-gateway-bench.ts';
import { watchBench } from './watch/watch-bench.ts';

export const benches: readonly Bench[] = [
  watchBench,
  localBackendsBench,
  serviceGatewayBench,
  gatewayAgentBench,
  dnsBench,
  octaviaBench,
  clusterSetBench,
];
