import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/gateway/agent';
const gateway = { unit: `${FOLDER}/apply/gateway` };
const server = { unit: `${FOLDER}/adapters/server` };
const rendered = { unit: `${FOLDER}/nftables/golden` };
const slots = { unit: `${FOLDER}/nftables/slots` };
const table = { unit: `${FOLDER}/nftables/served` };

export const gatewayAgentDefects: readonly Defect[] = [
  {
    name: 'an address comes before the rules that serve it, and goes after them',
    file: `${FOLDER}/apply/plan.ts`,
    find: `    ...(staying.size < before.size ? [{ kind: 'use-addresses', addresses: staying } as const] : []),
    { kind: 'change-table' },
    ...(staying.size < after.size ? [{ kind: 'use-addresses', addresses: after } as const] : []),`,
    replace: `    ...(staying.size < after.size ? [{ kind: 'use-addresses', addresses: after } as const] : []),
    { kind: 'change-table' },
    ...(staying.size < before.size ? [{ kind: 'use-addresses', addresses: staying } as const] : []),`,
    foundBy: gateway,
  },
  {
    name: 'the epoch of a leader whose configuration failed is not kept on disk',
    file: `${FOLDER}/apply/state-log.ts`,
    find: 'const highestEpoch = Math.max(state.highestEpoch, one.generation.epoch);',
    replace: 'const { highestEpoch } = state;',
    foundBy: gateway,
  },
  {
    name: 'a configuration that was taken is taken again',
    file: `${FOLDER}/apply/gateway.ts`,
    find: 'taken !== undefined && !isAfter(generation, taken)',
    replace: 'taken !== undefined && isAfter(taken, generation)',
    foundBy: gateway,
  },
  {
    name: 'a delta is applied to another generation than the one it is about',
    file: `${FOLDER}/apply/gateway.ts`,
    find: '(taken === undefined || !isSameGeneration(request.since, taken))',
    replace: 'taken === undefined',
    foundBy: gateway,
  },
  {
    name: 'a delta does not take back the record of what it is a delta to',
    file: `${FOLDER}/nftables/scripts.ts`,
    find: '    `delete element ${TABLE} applied { ${appliedElement(from)} }`,\n',
    replace: '',
    foundBy: rendered,
  },
  {
    name: 'a change is applied before it is on disk',
    file: `${FOLDER}/apply/plan.ts`,
    find: "    { kind: 'record-begun' },\n",
    replace: '',
    foundBy: gateway,
  },
  {
    name: 'a change that failed half-way is not taken back',
    file: `${FOLDER}/apply/gateway.ts`,
    find: 'if (begun) await this.#undo(generation, before);',
    replace: '',
    foundBy: gateway,
  },
  {
    name: 'a line of the log that was cut short takes the next one with it',
    file: `${FOLDER}/apply/state-log.ts`,
    find: 'const text = `\\n${JSON.stringify(one)}\\n`;',
    replace: 'const text = `${JSON.stringify(one)}\\n`;',
    foundBy: { unit: `${FOLDER}/apply/state-log` },
  },
  {
    name: 'flows of UDP to backends that are gone go on',
    file: `${FOLDER}/apply/known-flows.ts`,
    find: 'await this.forget(staleFlows(before, changes));',
    replace: '',
    foundBy: gateway,
  },
  {
    name: 'connections by TCP are cut when their backend leaves',
    file: `${FOLDER}/apply/plan.ts`,
    find: "old === undefined || protocol === 'TCP'",
    replace: 'old === undefined',
    foundBy: gateway,
  },
  {
    name: 'the slots depend on the order in which backends came',
    file: `${FOLDER}/nftables/slots.ts`,
    find: '.toSorted(byKey)',
    replace: '',
    foundBy: slots,
  },
  {
    name: 'a backend has one slot in five',
    file: `${FOLDER}/nftables/slots.ts`,
    find: 'taken.set(turn.position, turn.backend);',
    replace:
      'taken.set(turn.position, turns[taken.size % 5 === 0 ? 0 : turns.indexOf(turn)]?.backend ?? turn.backend);',
    foundBy: slots,
  },
  {
    name: 'a backend of two Services answers for one of them',
    file: `${FOLDER}/nftables/shared-elements.ts`,
    find: "first.neededBy === 'only-one' && wanted.size > 1",
    replace: "first.neededBy === 'only-one' && wanted.size > 2",
    foundBy: table,
  },
  {
    name: 'an address goes with the first Service that leaves it',
    file: `${FOLDER}/nftables/shared-elements.ts`,
    find: 'wanted?.delete(frontendKey(virtualServer));',
    replace: 'wanted?.clear();',
    foundBy: table,
  },
  {
    name: 'source ranges that lie in others are given to the kernel, which refuses them',
    file: `${FOLDER}/nftables/elements.ts`,
    find: 'if (last === undefined || range.first > last.last) kept.push(range);',
    replace: 'if (last !== range) kept.push(range);',
    foundBy: rendered,
  },
  {
    name: 'any certificate of the authority is let in',
    file: `${FOLDER}/adapters/server.ts`,
    find: "certificate?.checkHost(name, { subject: 'never', wildcards: false }) === name",
    replace: 'certificate !== undefined',
    foundBy: server,
  },
  {
    name: 'a body without a length may be of any length',
    file: `${FOLDER}/adapters/limited-server.ts`,
    find: '    if (bytes > mostBytes) return undefined;\n',
    replace: '',
    foundBy: server,
  },
  {
    name: 'a client may have all connections',
    file: `${FOLDER}/adapters/limited-server.ts`,
    find: '    socket.destroy();\n  });\n}\n\nexport function rateLimit',
    replace: '  });\n}\n\nexport function rateLimit',
    foundBy: server,
  },
  {
    name: 'addresses outside the allow-list are served',
    file: `${FOLDER}/apply/admission.ts`,
    find: '!isIn(one.address, admission.allowedAddresses)',
    replace: 'admission.allowedAddresses.length === 0',
    foundBy: { unit: `${FOLDER}/apply/admission` },
  },
  {
    name: 'the gateway itself may be a backend',
    file: `${FOLDER}/apply/admission.ts`,
    find: 'isIn(address, NEVER_BACKENDS) ||',
    replace: '',
    foundBy: { unit: `${FOLDER}/apply/admission` },
  },
  {
    name: 'a token that names no algorithm is believed',
    file: `${FOLDER}/compatibility/token.ts`,
    find: "header.safeParse(json(head)).data?.alg !== 'HS256'",
    replace: 'header.safeParse(json(head)).data === undefined',
    foundBy: { unit: `${FOLDER}/compatibility` },
  },
  {
    name: 'network policies of ch-k8s-lbaas are dropped silently',
    file: `${FOLDER}/compatibility/translate.ts`,
    find: '(policies ?? []).length + (assignments ?? []).length > 0',
    replace: '(assignments ?? []).length > 0',
    foundBy: { unit: `${FOLDER}/compatibility` },
  },
];
