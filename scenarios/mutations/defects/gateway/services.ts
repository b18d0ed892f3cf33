import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/gateway/controller';
const reconciler = { unit: `${FOLDER}/reconciler` };
const golden = { unit: `${FOLDER}/golden` };
const programmed = { unit: `${FOLDER}/programmed` };
const supply = { unit: `${FOLDER}/addresses/supply` };

export const gatewayServiceDefects: readonly Defect[] = [
  {
    name: 'an ignored record is told to nobody',
    file: `${FOLDER}/controller.ts`,
    find: 'for (const key of snapshot.ignoredRecords) tellIgnored(key, cache.get(key), environment);',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'a waiting Service is never woken',
    file: `${FOLDER}/reconciler.ts`,
    find: 'for (const served of allocator.settle(key, shown)) this.#requeue(served);',
    replace: 'allocator.settle(key, shown);',
    foundBy: reconciler,
  },
  {
    name: 'what a Service is still shown with goes to another when it was given something else meanwhile',
    file: `${FOLDER}/addresses/allocation.ts`,
    find: 'if (shown !== this.holding(service)) return [];',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'the brake is ignored by the reconciler',
    file: `${FOLDER}/reconciler.ts`,
    find: 'if (this.#brake.holds(key, outcome)) return this.#programming.refresh(key, this.#shownServers(service));',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'what the brake held back is never released',
    file: `${FOLDER}/controller.ts`,
    find: 'for (const key of held) controller.add(key);',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'the status is published without its ports',
    file: `${FOLDER}/plan.ts`,
    find: "return { address: l2Port.ingress, mode: 'VIP', ports };",
    replace: "return { address: l2Port.ingress, mode: 'VIP' };",
    foundBy: golden,
  },
  {
    name: 'a port that another has is shown as served',
    file: `${FOLDER}/plan.ts`,
    find: "...(isServed ? {} : { error: 'fairlead.dev/PortTaken' as const })",
    replace: '',
    foundBy: golden,
  },
  {
    name: 'the record of a refused Service goes before its status is withdrawn',
    file: `${FOLDER}/plan.ts`,
    find: '        ...holdWrites(outcome.claim),\n        ...statusWrites(outcome.claim, status, clock),',
    replace:
      '        ...holdWrites(outcome.claim, NOT_RECORDED),\n        ...statusWrites(outcome.claim, status, clock),',
    foundBy: golden,
  },
  {
    name: 'a Service with too many ports is taken apart',
    file: `${FOLDER}/desired.ts`,
    find: 'if (ports.length > MAXIMUM_PORTS) {',
    replace: 'if (ports.length > 1e9) {',
    foundBy: reconciler,
  },
  {
    name: 'the default class is ignored when running',
    file: `${FOLDER}/controller.ts`,
    find: 'const rules = claimRules(environment.defaultClass);',
    replace: 'const rules = claimRules(undefined);',
    foundBy: reconciler,
  },
  {
    name: 'a record that the API server refuses keeps its ports',
    file: `${FOLDER}/reconciler.ts`,
    find: "this.#basis.allocator.release(key);\n    this.#outcomes.set(key, 'refuse');",
    replace: "this.#outcomes.set(key, 'refuse');",
    foundBy: reconciler,
  },
  {
    name: 'agents are told before what Services show was restored',
    file: `${FOLDER}/controller.ts`,
    find: '    reconciler.restore(key, outcome);',
    replace: "    if (outcome.kind === 'foreign') reconciler.restore(key, outcome);",
    foundBy: { sim: 'gateway', seeds: 20 },
  },
  {
    name: 'the finalizer goes before the agents confirmed',
    file: `${FOLDER}/reconciler.ts`,
    find: 'if (this.#programming.isLeaving(key)) {',
    replace: "if (this.#programming.isLeaving(key) && key === 'x/y') {",
    foundBy: programmed,
  },
  {
    name: 'an address outside the pool is served by its gateways only until a restart',
    file: `${FOLDER}/reconciler.ts`,
    find: "const isShown = outcome.kind === 'serve' || (outcome.kind === 'refuse' && outcome.shutsOut !== true);",
    replace: "const isShown = outcome.kind === 'serve';",
    foundBy: programmed,
  },
  {
    name: 'no endpoints is not said',
    file: `${FOLDER}/plan.ts`,
    find: 'if (idle.length === 0) return condition;',
    replace: 'if (idle.length >= 0) return condition;',
    foundBy: programmed,
  },
  {
    name: 'an edit that shuts clients out leaves the address open',
    file: `${FOLDER}/desired.ts`,
    find: '  } catch {\n    return undefined;\n  }',
    replace:
      '  } catch {\n    return { service: serviceKey(service.metadata), permittedPools: permittedPools(service, pools), families: familiesOf(service.spec), l4Ports: l4PortsOf(service), exclusive: false };\n  }',
    foundBy: programmed,
  },
  {
    name: 'the finalizer goes before the address is given back',
    file: `${FOLDER}/reconciler.ts`,
    find: 'if (hasWritten || !supply.isClean(key)) return;',
    replace: 'if (hasWritten) return;',
    foundBy: supply,
  },
  {
    name: 'an address that ch-k8s-lbaas gave is not adopted',
    file: `${FOLDER}/desired.ts`,
    find: 'if (former !== undefined && !(L2_PORTS_ANNOTATION in annotations)) {',
    replace: "if (former === '') {",
    foundBy: { unit: `${FOLDER}/adoption` },
  },
  {
    name: 'a Service that the brake keeps is told to have nothing',
    file: `${FOLDER}/part.ts`,
    find: 'if (hold !== undefined && held.has(key) &&',
    replace: 'if (hold === undefined && held.has(key) &&',
    foundBy: { unit: `${FOLDER}/report` },
  },
  {
    name: 'the brake holds what would let in whom a Service shuts out',
    file: `${FOLDER}/withdrawal-brake.ts`,
    find: 'outcome.shutsOut !== true && ',
    replace: '',
    foundBy: { unit: `${FOLDER}/withdrawal-brake` },
  },
  {
    name: 'a Service that restricts its clients stays on a pool without gateways',
    file: `${FOLDER}/desired.ts`,
    find: "ranges.kind === 'any' ? pools : pools.filter(({ gateways }) => gateways.length > 0)",
    replace: 'pools',
    foundBy: { unit: `${FOLDER}/desired` },
  },
  {
    name: 'a record of any length is taken apart',
    file: `${FOLDER}/desired.ts`,
    find: 'text.length > LONGEST_RECORD ? [] : ',
    replace: '',
    foundBy: { unit: `${FOLDER}/desired` },
  },
  {
    name: 'what was told of another address stands for a new one',
    file: `${FOLDER}/plan.ts`,
    find: '|| !isSame ||',
    replace: '||',
    foundBy: { unit: `${FOLDER}/plan.test` },
  },
];
