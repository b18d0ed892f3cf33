import { FairleadError, type IpAddress, type IpRange, messageOf, parseIpRange } from '@fairlead/control';
import { definePart, type NodeEnvironment, type NodePart } from '@fairlead/part';
import { healthFile } from './adapters/keepalived.ts';
import { startApplyListener } from './adapters/apply-listener.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from './adapters/server.ts';
import { systemNode } from './adapters/system-node.ts';
import { Gateway } from './apply/gateway.ts';
import { gatewayAgentConfiguration, type GatewayAgentConfiguration } from './configuration.ts';
import { renderKeepalived } from './keepalived/render.ts';
import { applySeconds, configurations, gatewayAgentMetrics, heldAddresses } from './metrics.ts';
import { watchNode } from './watch.ts';

/** The agent on a gateway node, as the command line sees it. */
export const gatewayAgentPart = definePart({
  name: 'gateway-agent',
  summary: 'On a gateway node: serves what the gateway part tells it, by nftables and keepalived.',
  runsOn: 'node',
  standalone: { command: 'agent', summary: 'Runs the agent of a gateway node until it is stopped.' },
  schema: gatewayAgentConfiguration,
  permissions: [],
  metrics: gatewayAgentMetrics,
  events: [],
  explains: [],
  configure: (configuration): NodePart => ({
    runs: 'node',
    start: (environment) => runAgent(configuration, environment),
  }),
});

async function runAgent(configuration: GatewayAgentConfiguration, environment: NodeEnvironment): Promise<void> {
  const { clock, metrics, readiness, signal } = environment;
  const logger = environment.logger.child({ part: 'gateway-agent' });
  const { stateFolder, vrrp, allowedAddresses, allowedBackends } = configuration;
  const node = systemNode(configuration);
  const gateway = new Gateway({
    node,
    admission: {
      allowedAddresses: rangesOf(allowedAddresses),
      ...(allowedBackends === undefined ? {} : { allowedBackends: rangesOf(allowedBackends) }),
      gatewayAddresses: rangesOf(vrrp === undefined ? [] : [...vrrp.gateways, vrrp.address]),
      canPreserveClientAddress: vrrp === undefined || vrrp.inside !== undefined,
    },
    renderKeepalived: (addresses: ReadonlySet<IpAddress>) =>
      vrrp === undefined ? '' : renderKeepalived(addresses, vrrp, healthFile(stateFolder)),
    logger,
  });
  await gateway.start();
  const tell = () => {
    const { problem, heldAddresses: held } = gateway.status();
    metrics.set(heldAddresses, held.length);
    readiness.set(problem === undefined ? { ready: true } : { ready: false, reason: problem });
  };
  const configurable: Pick<Gateway, 'take' | 'status' | 'announce'> = {
    status: () => gateway.status(),
    announce: (epoch) => gateway.announce(epoch),
    async take(request) {
      const begunAt = clock.monotonic();
      const told = await gateway.take(request);
      metrics.increment(configurations, { result: told.kind === 'taken' ? 'taken' : told.code });
      metrics.observe(applySeconds, (clock.monotonic() - begunAt) / 1_000);
      tell();
      return told;
    },
  };
  const server = await startServer(configuration, { configurable, clock, logger, signal });
  logger.info({ port: server.port }, 'the agent listens');
  tell();
  try {
    await watchNode(gateway, { nft: node.nft, clock, logger, metrics, signal, onLook: tell });
  } finally {
    await server.close().catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'the server did not end'));
  }
}

/** The one or the other: two controllers would undo each other's work. */
function startServer(
  { listen, tls, chK8sLbaas }: GatewayAgentConfiguration,
  options: Omit<ApiServerOptions, 'configuration'>,
): Promise<ApiServer> {
  if (chK8sLbaas !== undefined) return startApplyListener({ listen, ...chK8sLbaas, ...options });
  if (tls !== undefined) return startApiServer({ configuration: { listen, tls }, ...options });
  throw new FairleadError('the agent has no controller: set tls', { verdict: 'terminal', code: 'no-controller' });
}

function rangesOf(texts: readonly string[]): readonly IpRange[] {
  return texts.flatMap((text) => parseIpRange(text) ?? []);
}
