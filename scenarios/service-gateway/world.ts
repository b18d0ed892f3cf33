import { serviceGatewayPart } from '@fairlead/azure/service-gateway';
import type { HttpTransport } from '@fairlead/control';
import { namespaces } from '@fairlead/kube';
import type { LeaderPart } from '@fairlead/part';
import type { Incarnation, Simulation } from '@fairlead/sim';
import type { ArmBehaviour, ArmEmulator } from '@fairlead/sim/azure';
import { AZURE, CLOUD, openAzureOver, serveAzure } from '../azure.ts';
import type { Variant } from '../azure-variant.ts';
import { type Cluster, serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from '../replica.ts';
import { makeNode } from './apply-edit.ts';
import { Patience } from './findings.ts';
import { makeLeftovers, Neighbours, putGateway } from './neighbours.ts';
import { CLUSTER_ID, NAMESPACE, PART, REPLICAS } from './site.ts';

/** What a person did to what is ours, which no invariant can blame on the part. */
export class Meddling {
  /** Names of services that an operator has taken something away from. */
  readonly robbed = new Set<string>();
  /** Names of services under which an operator has put an address. */
  readonly stuffed = new Set<string>();
  /** UIDs of what an operator has taken our finalizers off. */
  readonly freed = new Set<string>();
  /** Rises with everything that an operator does in Azure by hand. */
  acts = 0;
}

export interface World extends Cluster {
  readonly variant: Variant;
  readonly simulation: Simulation;
  readonly azure: ArmEmulator;
  /** The part as a person has it who only looks, with no network in between. */
  readonly part: LeaderPart;
  readonly neighbours: Neighbours;
  readonly meddling: Meddling;
  readonly patience: Patience;
}

/** Unset: what the part has by default. */
const COMPARISONS = { often: { comparisonIntervalSeconds: 60 }, default: {}, off: { comparisonIntervalSeconds: 0 } };

export interface WorldOptions {
  readonly variant: Variant;
  readonly behaviour: Partial<ArmBehaviour>;
  /** A gateway that is there already has services of others and of a former life of ours. */
  readonly inheritance: 'nothing' | 'gateway' | 'busy gateway';
  /** When Azure has its last whim, in virtual milliseconds. */
  readonly calmAt: number;
  /** What is between the part and its way to Azure. */
  readonly wire?: Wire;
}

export type Wire = (transport: HttpTransport) => HttpTransport;

export async function buildWorld(simulation: Simulation, options: WorldOptions): Promise<World> {
  const cluster = serveKubernetes(simulation);
  const azure = serveAzure(simulation, options.behaviour);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  const { variant } = options;
  for (const number of [1, 2]) {
    const addresses = [`10.0.0.${number}`, ...(variant.family === 'IPv6' ? [`fd00::${number}`] : [])];
    await makeNode(cluster.editor, `node-${number}`, addresses);
  }
  const neighbours = new Neighbours(azure);
  makeLeftovers(azure, 'outside the gateway');
  if (options.inheritance !== 'nothing') {
    putGateway(azure);
    neighbours.moveIn(options.inheritance === 'busy gateway', '10.1.0.1');
    makeLeftovers(azure, 'in the gateway');
  }
  simulation.at(options.calmAt, () => azure.faults.clear());
  const { wire = (transport) => transport } = options;
  for (const name of REPLICAS) {
    simulation.process(name, (incarnation) =>
      runReplica(PART, partOver(wire(signed(incarnation)), variant), incarnation),
    );
  }
  const patience = new Patience(() => simulation.clock.monotonic());
  const part = partOver(azure, variant);
  return { ...cluster, variant, simulation, azure, part, neighbours, meddling: new Meddling(), patience };
}

function partOver(transport: HttpTransport, { comparison }: Variant): LeaderPart {
  const section = { cloud: CLOUD, gatewayName: 'sgw', clusterId: CLUSTER_ID, ...COMPARISONS[comparison] };
  return serviceGatewayPart(openAzureOver(transport)).configure(section);
}

/** Azure's log tells calls apart by this header: here, whose they are. */
function signed(incarnation: Incarnation): HttpTransport {
  const transport = incarnation.connect(AZURE);
  return {
    send: (request) =>
      transport.send({
        ...request,
        headers: { ...request.headers, 'x-ms-correlation-request-id': incarnation.name },
      }),
  };
}
