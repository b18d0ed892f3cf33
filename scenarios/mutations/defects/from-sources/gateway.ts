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
    find: "if (outcome.kind !== 'unreadable' && writesFor(outcome, clock, progressWithoutAgents(outcome, pools)).length === 0)",
    replace: 'if (writesFor(outcome, clock, progressWithoutAgents(outcome, pools)).length === 0)',
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
    find: 'this.#waiting.awaitRoom(request.service);',
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
  {
    name: 'what this leader gave up on is not kept out by a higher epoch',
    file: 'packages/gateway/controller/agents/sent-generations.ts',
    find: 'const isOpen = isLost || !this.#isAnnounced;',
    replace: 'const isOpen = !this.#isAnnounced;',
    foundBy: { unit: 'packages/gateway/controller/agents' },
  },
  {
    name: 'in the place of a refused frontend, that of another Service stays',
    file: 'packages/gateway/controller/agents/refused-frontends.ts',
    find: `    before.service === wanted.service &&
    JSON`,
    replace: '    JSON',
    foundBy: { unit: 'packages/gateway/controller/agents' },
  },
  {
    name: 'a gateway that was not heard of yet counts as one that cannot be reached',
    file: 'packages/gateway/controller/agents/programming.ts',
    find: "const isConfirmed = (sender: AgentSender) => sender.reach === 'unreachable' || sender.hasConfirmed(revision);",
    replace:
      "const isConfirmed = (sender: AgentSender) => sender.reach !== 'reachable' || sender.hasConfirmed(revision);",
    foundBy: { unit: 'packages/gateway/controller/programmed.test.ts' },
  },
  {
    name: 'a Service that moved to another pool forgets the gateways of the first',
    file: 'packages/gateway/controller/agents/programming.ts',
    find: 'const pools = this.#pools.get(key) ?? new Set();',
    replace: 'const pools = new Set<string>();',
    foundBy: { unit: 'packages/gateway/controller/programmed.test.ts' },
  },
  {
    name: 'a port that goes is taken off the gateways before the Service says so',
    file: 'packages/gateway/controller/agents/virtual-server-table.ts',
    find: 'wanted.get(frontend) ?? this.#entries.get(frontend) ?? []',
    replace: 'wanted.get(frontend) ?? []',
    foundBy: { unit: 'packages/gateway/controller/agents' },
  },
  {
    name: 'an address that was made for a Service that left stays',
    file: 'packages/gateway/controller/addresses/supply-worker.ts',
    find: `    // Whom it was made for may have gone: then it is of no use.
    if (!allocator.isUsed(made)) this.clean();
`,
    replace: '',
    foundBy: { unit: 'packages/gateway/controller/addresses/supply.test.ts' },
  },
  {
    name: 'with local traffic, nodes with terminating pods are used beside ready ones',
    file: 'packages/gateway/controller/backends/virtual-servers.ts',
    find: "return (ready.length > 0 ? ready : from('terminating')).map(({ backend }) => backend);",
    replace: "return [...ready, ...from('terminating')].map(({ backend }) => backend);",
    foundBy: { unit: 'packages/gateway/controller/backends' },
  },
  {
    name: 'flows of SCTP go on to a backend that is gone',
    file: 'packages/gateway/agent/apply/plan.ts',
    find: "if (old === undefined || protocol === 'TCP') return [];",
    replace: "if (old === undefined || protocol !== 'UDP') return [];",
    foundBy: { unit: 'packages/gateway/agent/apply/gateway.test.ts' },
  },
  {
    name: 'a delta may send to an address that the gateways serve',
    file: 'packages/gateway/agent/apply/gateway.ts',
    find: "const served = request.kind === 'delta' ? addressesOf",
    replace: "const served = request.kind === 'whole' ? addressesOf",
    foundBy: { unit: 'packages/gateway/agent/apply/gateway.test.ts' },
  },
  {
    name: 'flows that a change left without a backend survive a crash',
    file: 'packages/gateway/agent/apply/gateway.ts',
    find: `          await this.#flows.follow(byFrontend(inverse.put), begun.changes);
`,
    replace: '',
    foundBy: { unit: 'packages/gateway/agent/apply/gateway.test.ts' },
  },
  {
    name: 'of two ranges that begin alike the narrower one is kept',
    file: 'packages/gateway/agent/nftables/elements.ts',
    find: 'one.first === other.first ? one.prefixLength - other.prefixLength :',
    replace: 'one.first === other.first ? other.prefixLength - one.prefixLength :',
    foundBy: { unit: 'packages/gateway/agent/nftables/served.test.ts' },
  },
  {
    name: 'a change of the affinity alone is no change',
    file: 'packages/gateway/protocol/delta.ts',
    find: `    affinitySeconds ?? null,
`,
    replace: `    affinitySeconds === undefined,
`,
    foundBy: { unit: 'packages/gateway/protocol' },
  },
];
