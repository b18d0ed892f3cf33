import type { Defect } from '../../defect.ts';

const ARM = 'packages/azure/arm';
const CLOUD = 'packages/azure/service-gateway/cloud';
const CLUSTER = 'packages/azure/service-gateway/cluster';
const cloud = { unit: CLOUD };
const sim = { sim: 'service-gateway', seeds: 200 } as const;

export const serviceGatewayDefects: readonly Defect[] = [
  {
    name: 'an Azure that is slower than the deadline is told of without the key to raise',
    file: 'packages/cloud/connection.ts',
    find: 'isTooLate ? deadlineAdvice?.(verb) : undefined',
    replace: 'isTooLate && deadlineAdvice === undefined ? verb : undefined',
    foundBy: { unit: 'packages/azure/service-gateway/refusals' },
  },
  {
    name: 'the subnet is written without saying what it was made from',
    file: `${CLOUD}/repository.ts`,
    find: 'await this.#client.put(subnetId, body, { ...options, ...condition,',
    replace: 'void condition;\n    await this.#client.put(subnetId, body, { ...options,',
    foundBy: cloud,
  },
  {
    name: 'the subnet is written with its prefixes, and all else is dropped',
    file: `${CLOUD}/repository.ts`,
    find: 'properties: { ...subnet.properties, serviceGateway: { id: gatewayId } } };',
    replace:
      'properties: { addressPrefix: subnet.properties.addressPrefix, addressPrefixes: subnet.properties.addressPrefixes, serviceGateway: { id: gatewayId } } };',
    foundBy: { ...sim, seeds: 5 },
  },
  {
    name: 'addresses, load balancers and NAT gateways are changed without saying what the change was made from',
    file: `${CLOUD}/repository.ts`,
    find: "{ ...options, ...condition, answer: isAddress ? 'final' : 'accepted' }",
    replace: "{ ...options, ...(condition ? {} : {}), answer: isAddress ? 'final' : 'accepted' }",
    foundBy: { ...sim, seeds: 20 },
  },
  {
    name: 'a new leader waits for ever for a Service to go whose address Azure refuses to change',
    file: 'packages/azure/service-gateway/engine/difftracker.ts',
    find: '!this.#dirty.has(entry) || this.#isQuarantined(entry)',
    replace: '!this.#dirty.has(entry)',
    foundBy: { unit: 'packages/azure/service-gateway/initialization' },
  },
  {
    name: 'a new leader compares nothing before an address is in step that Azure refuses to change',
    file: 'packages/azure/service-gateway/initialization.ts',
    find: 'engine.tracker.locationChanges().length === 0',
    replace: 'engine.tracker.isInSync',
    foundBy: { unit: 'packages/azure/service-gateway/initialization' },
  },
  {
    name: 'Azure is written beside the patch of the finalizers, not after it',
    file: `${CLUSTER}/service-reconciler.ts`,
    find: 'const held = await this.#hold(desired, signal);',
    replace: 'feed.submit(name, desired);\n        const held = await this.#hold(desired, signal);',
    foundBy: { ...sim, seeds: 20 },
  },
  {
    name: 'a Service is let go before what it has in Azure is gone',
    file: `${CLUSTER}/service-reconciler.ts`,
    find: 'if (!feed.isReleased(key)) return;',
    replace: '',
    foundBy: { ...sim, seeds: 20 },
  },
  {
    name: 'thirty services are worked on at once',
    file: `${CLOUD}/service-updater.ts`,
    find: 'const LANES = 10;',
    replace: 'const LANES = 30;',
    foundBy: cloud,
  },
  {
    name: 'the header that leads to an operation is looked for under another name',
    file: `${ARM}/client/long-running.ts`,
    find: "headers['azure-asyncoperation']",
    replace: "headers['azure-async-operation']",
    foundBy: { unit: `${ARM}/client` },
  },
  {
    name: 'a word that Azure spells in its own way is a difference',
    file: `${ARM}/matches.ts`,
    find: 'return body.toLowerCase() === wanted.toLowerCase();',
    replace: 'return body === wanted;',
    foundBy: { unit: 'packages/azure/service-gateway/converged' },
  },
  {
    name: 'a tag that has another value is no difference',
    file: `${ARM}/matches.ts`,
    find: '(isRecord(tags) ? tags[tag] : undefined) === value',
    replace: '(isRecord(tags) ? tags[tag] : undefined) !== undefined || value === undefined',
    foundBy: { unit: `${ARM}/matches` },
  },
  {
    name: 'an operation that failed is taken for done',
    file: `${ARM}/client/long-running.ts`,
    find: "if (state !== 'Failed' && state !== 'Canceled') return undefined;",
    replace: "if (state !== 'Canceled') return undefined;",
    foundBy: { unit: `${ARM}/client` },
  },
  {
    name: 'addresses whose update was lost are taken for refused',
    file: `${CLOUD}/locations-updater.ts`,
    find: 'if (!signal.aborted && isWithoutEffect(error)) this.#tracker.refuseUpdate(updates);',
    replace: 'if (!signal.aborted) this.#tracker.refuseUpdate(updates);',
    foundBy: cloud,
  },
  {
    name: 'a subnet that is attached to another gateway is taken away from it',
    file: `${CLOUD}/gateway-setup.ts`,
    find: 'if (attached !== undefined) {',
    replace: "if (attached === 'never') {",
    foundBy: { unit: 'packages/azure/service-gateway' },
  },
  {
    name: 'leftovers that the cluster has come to want are deleted',
    file: `${CLOUD}/leftovers.ts`,
    find: 'for (const key of keys) if (!this.#isInUse(key)) this.#options.engine.deleteService(key);',
    replace: 'for (const key of keys) this.#options.engine.deleteService(key);',
    foundBy: { unit: 'packages/azure/service-gateway' },
  },
  {
    name: 'what carries the marks of another cluster is deleted',
    file: `${CLOUD}/plan.ts`,
    find: "if (known.state === 'present' && ownershipOf(scope, tagsOf(known)) !== 'ours') return [];",
    replace: '',
    foundBy: cloud,
  },
  {
    name: 'a service of which it is not known whether it is registered is not unregistered',
    file: `${CLOUD}/plan.ts`,
    find: "if (known.state !== 'present') return known.state === 'unknown';",
    replace: "if (known.state !== 'present') return false;",
    foundBy: cloud,
  },
  {
    name: 'services that are parked are not tried again by the comparison',
    file: `${CLOUD}/comparison.ts`,
    find: 'engine.retryParked();',
    replace: '',
    foundBy: { unit: 'packages/azure/service-gateway' },
  },
  {
    name: 'a write whose result Azure refuses to show counts as refused',
    file: `${ARM}/client/client.ts`,
    find: '{ ...reading, mayHaveTakenEffect: true }',
    replace: 'reading',
    foundBy: { unit: `${ARM}/client` },
  },
  {
    name: "a refusal that is nobody's fault is looked for in every single address",
    file: `${CLOUD}/locations-updater.ts`,
    find: 'send, probe: this.#probe }',
    replace: 'send }',
    foundBy: { unit: 'packages/azure/service-gateway/refusals' },
  },
  {
    name: 'while Azure refuses everything, every call asks anew',
    file: `${CLOUD}/azure-refusals.ts`,
    find: 'if (left > 0) throw refuses(call, blocked, left);',
    replace: '',
    foundBy: { unit: 'packages/azure/service-gateway/refusals' },
  },
  {
    name: 'a gateway without an address for traffic is taken for whole',
    file: `${CLOUD}/gateway-setup.ts`,
    find: 'return properties.routeTargetAddress?.subnet !== undefined;',
    replace: 'return properties !== undefined;',
    foundBy: cloud,
  },
  {
    name: 'a NAT gateway is deleted without being detached first',
    file: `${CLOUD}/plan.ts`,
    find: '...detachment(azure, key), ',
    replace: '',
    foundBy: cloud,
  },
];
