import type { Defect } from '../../defect.ts';

const BALANCERS = 'packages/azure/local-backends/load-balancers';
const GATEWAY = 'packages/azure/service-gateway';
const own = { unit: 'packages/azure/local-backends/own-addresses' };
const forged = { unit: 'packages/azure/local-backends/forged-input' };
const desired = { unit: `${BALANCERS}/desired` };
const egress = { unit: `${GATEWAY}/egress-addresses` };

/** What Services and operators may say of addresses, and of who may come to them. */
export const azureAddressDefects: readonly Defect[] = [
  {
    name: 'older Services of one namespace use up the resource groups that are looked into',
    file: `${BALANCERS}/observed.ts`,
    find: 'left.turn - right.turn',
    replace: 'left.turn * 0 - right.turn * 0',
    foundBy: forged,
  },
  {
    name: 'newer Services use up the resource groups that are looked into',
    file: `${BALANCERS}/observed.ts`,
    find: 'services.toSorted(byAge)',
    replace: 'services.toSorted((left, right) => byAge(right, left))',
    foundBy: forged,
  },
  {
    name: 'who records a load balancer is placed there, though it is full',
    file: `${BALANCERS}/placement.ts`,
    find: '(request.isThere || hasRoom(name, request))',
    replace: '(!request.isThere || hasRoom(name, request))',
    foundBy: { unit: `${BALANCERS}/outcome` },
  },
  {
    name: 'Services that are decided for together are counted twice where they are recorded',
    file: `${BALANCERS}/outcome.ts`,
    find: 'asked.has(mark) || there.has',
    replace: 'there.has',
    foundBy: { unit: `${BALANCERS}/outcome` },
  },
  {
    name: 'a second family takes no room before its rules are there',
    file: `${BALANCERS}/outcome.ts`,
    find: 'ports.length * families.length);',
    replace: 'ports.length * Math.min(1, families.length));',
    foundBy: { unit: `${BALANCERS}/outcome` },
  },
  {
    name: 'an address that a Service has keeps it waiting whenever Azure works on it',
    file: `${BALANCERS}/request-bodies/public-addresses.ts`,
    find: "user === undefined && state !== 'Succeeded'",
    replace: "state !== 'Succeeded'",
    foundBy: { unit: `${BALANCERS}/request-bodies` },
  },
  {
    name: 'a Service names as many IPv6 ranges as it likes',
    file: `${BALANCERS}/annotated.ts`,
    find: 'ranges.IPv4.length + ranges.IPv6.length',
    replace: 'ranges.IPv4.length',
    foundBy: forged,
  },
  {
    name: 'a rule of others that Azure shows with an empty list of sources counts for none',
    file: `${BALANCERS}/request-bodies/security-rules.ts`,
    find: 'Math.max(1, properties.sourceAddressPrefixes?.length ?? 0)',
    replace: '(properties.sourceAddressPrefixes?.length ?? 1)',
    foundBy: { unit: `${BALANCERS}/request-bodies` },
  },
  {
    name: 'a security group that others have overfilled keeps us from changing our own rules',
    file: `${BALANCERS}/request-bodies/security-rules.ts`,
    find: 'sources > sourcesIn(current)',
    replace: 'sources >= sourcesIn(current)',
    foundBy: { unit: `${BALANCERS}/request-bodies` },
  },
  {
    name: 'a chain that is asked for by 1 is not sent',
    file: 'packages/azure/arm/configuration/azure-environment.ts',
    find: "['true', '1'].includes",
    replace: "['true'].includes",
    foundBy: { unit: 'packages/azure/arm/configuration' },
  },
  {
    name: "a user's own address is used whether or not it fits",
    file: `${BALANCERS}/request-bodies/public-addresses.ts`,
    find: 'requireFit(site, wanted, family, address.there);',
    replace: '',
    foundBy: own,
  },
  {
    name: 'an address that was made stays when an own one has taken its place',
    file: `${BALANCERS}/plan.ts`,
    find: 'families.filter((family) => ownAddresses[family] === undefined);',
    replace: 'families.filter((family) => ownAddresses[family] !== null);',
    foundBy: own,
  },
  {
    name: 'a DNS label stays when its annotation goes',
    file: `${BALANCERS}/request-bodies/public-addresses.ts`,
    find: 'wanted.dnsLabel === undefined && there?.tags?.[LABEL_TAG] !== undefined',
    replace: 'false',
    foundBy: own,
  },
  {
    name: 'an address is to be moved to the zones that are configured now',
    file: `${BALANCERS}/request-bodies/public-addresses.ts`,
    find: 'there === undefined ? site.zones : there.zones',
    replace: 'site.zones',
    foundBy: own,
  },
  {
    name: 'clients of a service tag are kept out',
    file: `${BALANCERS}/request-bodies/security-rules.ts`,
    find: '[...byRange, ...byTag, deny]',
    replace: '[...byRange, deny]',
    foundBy: own,
  },
  {
    name: 'a Service that names service tags alone is open to all',
    file: `${BALANCERS}/annotated.ts`,
    find: "serviceTags.length > 0 && ranges.kind === 'any'",
    replace: "serviceTags.length < 0 && ranges.kind === 'any'",
    foundBy: desired,
  },
  {
    name: 'a Service that asks for no floating IP is served with one',
    file: `${BALANCERS}/annotated.ts`,
    find: 'new Set(Object.values(honoured))',
    replace: 'new Set(Object.values(azureAnnotations))',
    foundBy: desired,
  },
  {
    name: 'the pool of a Service whose change fails is followed no more after a restart',
    file: `${BALANCERS}/reconcile-pass.ts`,
    find: '    this.#followFailed(index);\n',
    replace: '',
    foundBy: { unit: 'packages/azure/local-backends/bad-input' },
  },
  {
    name: 'an address that is to be kept is swept as an orphan',
    file: `${GATEWAY}/cloud/leftovers.ts`,
    find: ' || keepsAddresses(scope, key)',
    replace: '',
    foundBy: egress,
  },
  {
    name: 'an address that is to be kept goes with the last pod',
    file: `${GATEWAY}/cloud/plan.ts`,
    find: 'if (keepsAddresses(azure.scope, key)) return [];',
    replace: '',
    foundBy: egress,
  },
  {
    name: "an address is made beside an operator's own",
    file: `${GATEWAY}/cloud/plan.ts`,
    find: '(isOwn(family) ? [] : putPublicIp(azure, spec, family))',
    replace: 'putPublicIp(azure, spec, family)',
    foundBy: egress,
  },
  {
    name: 'the default gateway gets no address of a family that nodes get',
    file: `${GATEWAY}/cluster/cluster-feed.ts`,
    find: 'if (isWanted(engine.state(DEFAULT_OUTBOUND_KEY)))',
    replace: 'if (isWanted(undefined))',
    foundBy: { sim: 'service-gateway', seeds: 1, from: 5009 },
  },
  {
    name: 'nodes that change from one family to the other are taken for unchanged',
    file: `${GATEWAY}/cluster/cluster-feed.ts`,
    find: 'nodes.families.join() !== before.join()',
    replace: 'nodes.families.length !== before.length',
    foundBy: { unit: `${GATEWAY}/controller` },
  },
  {
    name: 'a restriction of sources is only warned about',
    file: 'packages/azure/arm/parts/annotations.ts',
    find: "    'load-balancer-mode',\n",
    replace: "    'load-balancer-mode', 'allowed-ip-ranges',\n",
    foundBy: { unit: `${GATEWAY}/cluster/desired` },
  },
  {
    name: 'what annotations ask for in vain is told with every endpoint',
    file: `${GATEWAY}/cluster/service-reconciler.ts`,
    find: "if (text === (this.#told.get(key) ?? '')) return;",
    replace: '',
    foundBy: { unit: `${GATEWAY}/controller` },
  },
  {
    name: 'the Lease that is recommended is as long as the call',
    file: 'packages/kube/leader/election.ts',
    find: 'const LEASE_FOR_A_CALL = 1.5;',
    replace: 'const LEASE_FOR_A_CALL = 1;',
    foundBy: { unit: 'packages/cloud/within-lease' },
  },
];
