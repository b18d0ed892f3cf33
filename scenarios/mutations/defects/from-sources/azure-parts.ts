import type { Defect } from '../../defect.ts';

const ARM = 'packages/azure/arm';
const GATEWAY = 'packages/azure/service-gateway';
const LOCAL = 'packages/azure/local-backends';

/** Thought of from the sources of both parts and their client, and found by no test at first. */
export const azurePartDefectsFromSources: readonly Defect[] = [
  {
    name: 'what a throttled poll asks for is not heeded',
    file: `${ARM}/client/operation-poller.ts`,
    find: '        asked = error.retryAfterMilliseconds;\n',
    replace: '',
    foundBy: { unit: `${ARM}/client` },
  },
  {
    name: 'an update of the gateway that takes 12 seconds is given up by default',
    file: `${ARM}/parts/azure-section.ts`,
    find: '2 * USUAL_SECONDS',
    replace: 'USUAL_SECONDS',
    foundBy: { unit: `${GATEWAY}/refusals` },
  },
  {
    name: 'the Lease does not follow the deadline of updates of the gateway',
    file: `${GATEWAY}/part.ts`,
    find: "longestMillisecondsOf(['PUT', 'DELETE', 'POST'], configuration)",
    replace: "longestMillisecondsOf(['PUT', 'DELETE'], configuration)",
    foundBy: { unit: `${GATEWAY}/part` },
  },
  {
    name: 'an update of the gateway has the deadline of a PUT',
    file: `${ARM}/parts/azure-section.ts`,
    find: "return verb === 'POST' ? 'actionSeconds' : 'writeSeconds';",
    replace: "return 'writeSeconds';",
    foundBy: { unit: `${ARM}/parts` },
  },
  {
    name: 'requests stay as small as they were when Azure was slow, until all waiting addresses are in',
    file: `${GATEWAY}/cloud/locations-updater.ts`,
    find: 'isSmall ? changes.slice(0, this.#ceiling) : changes',
    replace: 'isSmall && isProbe ? changes.slice(0, this.#ceiling) : changes',
    foundBy: { unit: `${GATEWAY}/cloud` },
  },
  {
    name: 'a pod whose address changed twice is let go before the first has left',
    file: `${GATEWAY}/engine/egress-pods.ts`,
    find: '[...(before?.former ?? []), ...(before?.entries ?? []), ...touched]',
    replace: '[...(before?.entries ?? []), ...touched]',
    foundBy: { unit: `${GATEWAY}/engine` },
  },
  {
    name: 'a NAT gateway that is detached loses all else it has',
    file: `${GATEWAY}/cloud/plan.ts`,
    find: 'properties: { ...there.properties, serviceGateway: null }',
    replace: 'properties: { serviceGateway: null }',
    foundBy: { unit: `${GATEWAY}/cloud` },
  },
  {
    name: 'a service that is deleted while it waits for a lane stays',
    file: `${GATEWAY}/cloud/service-updater.ts`,
    find: '      void this.#track(this.#delete(key));\n      return undefined;',
    replace: '      return undefined;',
    foundBy: { unit: `${GATEWAY}/cloud` },
  },
  {
    name: 'Azure counts as refusing everything though it refuses for another reason by now',
    file: `${GATEWAY}/cloud/azure-refusals.ts`,
    find: '      if (findArmError(error) !== undefined) this.#clear(call);\n',
    replace: '',
    foundBy: { unit: `${GATEWAY}/cloud` },
  },
  {
    name: 'a list that was begun in the moment of a request is believed',
    file: `${GATEWAY}/engine/difftracker.ts`,
    find: 'entry.certain && entry.requestedAt < listBegunAt',
    replace: 'entry.certain && entry.requestedAt <= listBegunAt',
    foundBy: { unit: `${GATEWAY}/engine` },
  },
  {
    name: 'a pod that asks for what it cannot have keeps its gateway',
    file: `${GATEWAY}/cluster/pod-feed.ts`,
    find: "if (request.kind !== 'unreadable') this.#leave",
    replace: "if (request.kind === 'gone') this.#leave",
    foundBy: { unit: `${GATEWAY}/cluster` },
  },
  {
    name: 'an operator’s own address is told by its name alone',
    file: `${GATEWAY}/cloud/repository.ts`,
    find: "known.state === 'present' && sameArmId(known.body.id, id)",
    replace: "known.state === 'present'",
    foundBy: { unit: `${GATEWAY}/cloud` },
  },
  {
    name: 'an empty load balancer goes that is marked as one Service’s own',
    file: `${LOCAL}/load-balancers/request-bodies/load-balancer-body.ts`,
    find: 'mark === undefined || mark.service !== undefined',
    replace: 'mark === undefined',
    foundBy: { unit: `${LOCAL}/load-balancers` },
  },
  {
    name: 'the updater writes the network of a pool in its own spelling',
    file: `${LOCAL}/backend-pools/pool-writer.ts`,
    find: 'pool.properties.virtualNetwork ?? { id: networkId }',
    replace: '{ id: networkId }',
    foundBy: { unit: `${LOCAL}/backend-pools` },
  },
  {
    name: 'the DNS label of an operator goes with the next write of the address',
    file: `${LOCAL}/load-balancers/request-bodies/public-addresses.ts`,
    find: 'labelled === undefined && dnsSettings !== undefined ? { dnsSettings } : {}',
    replace: '{}',
    foundBy: { unit: `${LOCAL}/own-addresses` },
  },
  {
    name: 'a priority is taken twice where Azure spells the direction in its own way',
    file: `${LOCAL}/load-balancers/request-bodies/security-rules.ts`,
    find: "direction.toLowerCase() === 'inbound'",
    replace: "direction === 'Inbound'",
    foundBy: { unit: `${LOCAL}/load-balancers` },
  },
  {
    name: 'a pool of another controller is found by case',
    file: `${LOCAL}/load-balancers/placement.ts`,
    find: 'pool.name.toLowerCase() === name.toLowerCase()',
    replace: 'pool.name === name',
    foundBy: { unit: `${LOCAL}/bad-input` },
  },
];
