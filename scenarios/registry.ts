import { addressDesk, addressDeskCrash } from './address-desk.ts';
import { clusterSetDns } from './clusterset/dns.ts';
import { clusterSetMany } from './clusterset/many.ts';
import { clusterSet, clusterSetCrash } from './clusterset/scenario.ts';
import { dnsScenario } from './dns/scenario.ts';
import { electionScenario } from './election.ts';
import { gatewayCrash } from './gateway/crash.ts';
import { gatewayNeutron, gatewayNeutronCrash } from './gateway/neutron.ts';
import { gateway } from './gateway/scenario.ts';
import { gatewayStatic, gatewayStaticCrash } from './gateway/static.ts';
import { kubeScenario } from './kube.ts';
import { localBackendsCrash } from './local-backends/crash.ts';
import { localBackends } from './local-backends/scenario.ts';
import { octavia, octaviaCrash } from './octavia/scenario.ts';
import { crashScenario, randomScenario, type RunnableScenario } from './scenario.ts';
import { serviceGatewayCrash } from './service-gateway/crash.ts';
import { serviceGateway } from './service-gateway/scenario.ts';

/** Every scenario there is. */
export const scenarios: readonly RunnableScenario[] = [
  randomScenario(kubeScenario()),
  randomScenario(electionScenario()),
  // The longest: begun last, it would keep one core waiting for the other.
  crashScenario(octaviaCrash.name, octaviaCrash.description, octaviaCrash),
  { ...randomScenario(addressDesk), seeds: 40 },
  crashScenario(addressDeskCrash.name, addressDeskCrash.description, addressDeskCrash),
  { ...randomScenario(dnsScenario), seeds: 30 },
  randomScenario(gatewayStatic),
  crashScenario(gatewayStaticCrash.name, gatewayStaticCrash.description, gatewayStaticCrash),
  // With half of the seeds, agents are not compared with what they should have.
  { ...randomScenario(gateway), seeds: 40 },
  crashScenario(gatewayCrash.name, gatewayCrash.description, gatewayCrash),
  { ...randomScenario(gatewayNeutron), seeds: 20 },
  crashScenario(gatewayNeutronCrash.name, gatewayNeutronCrash.description, gatewayNeutronCrash),
  { ...randomScenario(clusterSet), seeds: 30 },
  { ...randomScenario(clusterSetDns), seeds: 6 },
  { ...randomScenario(clusterSetMany), seeds: 1 },
  crashScenario(clusterSetCrash.name, clusterSetCrash.description, clusterSetCrash),
  randomScenario(localBackends),
  crashScenario(localBackendsCrash.name, localBackendsCrash.description, localBackendsCrash, { pairs: 10 }),
  // The histories of this one, and of the address desk, are long.
  { ...randomScenario(serviceGateway), seeds: 100 },
  { ...randomScenario(octavia), seeds: 20 },
  crashScenario(serviceGatewayCrash.name, serviceGatewayCrash.description, serviceGatewayCrash, { pairs: 10 }),
];
