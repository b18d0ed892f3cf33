import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `gateway` alone, before any of its tests was looked at. */
export const gatewayDefectsFromSources: readonly Defect[] = [
  {
    name: 'settling frees a port that another Service holds',
    file: 'packages/gateway/controller/addresses/occupancy.ts',
    find: 'if (kept.has(key) || this.#holders.get(key) !== service) return false;',
    replace: 'if (kept.has(key) || !this.#holders.has(key)) return false;',
    foundBy: { unit: 'packages/gateway/controller/addresses' },
  },
  {
    name: 'of a Service that leaves several addresses only the first counts as left',
    file: 'packages/gateway/controller/addresses/occupancy.ts',
    find: 'room = this.#setTenant(service, l2Port, wanted) || room;',
    replace: 'room = room || this.#setTenant(service, l2Port, wanted);',
    foundBy: { unit: 'packages/gateway/controller/addresses' },
  },
  {
    name: 'ports that a status shows with an error count as given',
    file: 'packages/gateway/controller/observed.ts',
    find: '(first?.ports ?? []).flatMap(({ port, protocol, error }) => (error === undefined ? [{ port, protocol }] : []));',
    replace: '(first?.ports ?? []).map(({ port, protocol }) => ({ port, protocol }));',
    foundBy: { unit: 'packages/gateway/controller' },
  },
  {
    name: 'the address of a refused record is freed before the status is withdrawn',
    file: 'packages/gateway/controller/reconciler.ts',
    find: "    await this.#write(claim.service, { kind: 'refuse', claim, refusal }, { kind: 'not-needed' }, signal);",
    replace:
      "    this.#settle(key);\n    await this.#write(claim.service, { kind: 'refuse', claim, refusal }, { kind: 'not-needed' }, signal);",
    foundBy: { unit: 'packages/gateway/controller' },
  },
  {
    name: 'a Service that cannot be read gives back what it shows when a leader starts',
    file: 'packages/gateway/controller/snapshot.ts',
    find: "if (outcome.kind !== 'unreadable' && writesFor(outcome, clock, unheardProgress(outcome, pools)).length === 0)",
    replace: 'if (writesFor(outcome, clock, unheardProgress(outcome, pools)).length === 0)',
    foundBy: { unit: 'packages/gateway/controller' },
  },
  {
    name: 'losing one of two addresses does not count as a withdrawal',
    file: 'packages/gateway/controller/withdrawal-brake.ts',
    find: '.some((address) => !kept.has(address));',
    replace: '.every((address) => !kept.has(address));',
    foundBy: { unit: 'packages/gateway/controller' },
  },
  {
    name: 'a Service that has to wait for something else now still waits for what it did',
    file: 'packages/gateway/controller/addresses/allocation.ts',
    find: 'this.#waiting.awaitRoom(service);',
    replace: '{}',
    foundBy: { unit: 'packages/gateway/controller/addresses' },
  },
  {
    name: 'the record of an assignment is taken off before the status that shows it',
    file: 'packages/gateway/controller/plan.ts',
    find: `        ...holdWrites(outcome.claim),
        ...statusWrites(outcome.claim, status, clock),
        // Only when the status no longer shows the addresses: until then the record keeps them from others.
        ...(isRecorded ? holdWrites(outcome.claim, NOT_RECORDED, FORGET) : []),
`,
    replace: `        ...holdWrites(outcome.claim),
        ...(isRecorded ? holdWrites(outcome.claim, NOT_RECORDED, FORGET) : []),
        ...statusWrites(outcome.claim, status, clock),
`,
    foundBy: { unit: 'packages/gateway/controller' },
  },
  {
    name: 'the owner is told of an address before it is written',
    file: 'packages/gateway/controller/reconciler.ts',
    find: `    await this.#writer.write(service, writes, signal);
    if (writes.length > 0) announce(events, service, outcome, progress);
`,
    replace: `    if (writes.length > 0) announce(events, service, outcome, progress);
    await this.#writer.write(service, writes, signal);
`,
    foundBy: { unit: 'packages/gateway/controller' },
  },
];
