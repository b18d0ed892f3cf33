import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/gateway/controller';
const programmed = { unit: `${FOLDER}/programmed` };
const backends = { unit: `${FOLDER}/backends` };

export const gatewayProgrammingDefects: readonly Defect[] = [
  {
    name: 'a dead agent holds up the end of a Service',
    file: `${FOLDER}/agents/programming.ts`,
    find: "const isConfirmed = (sender: AgentSender) => sender.reach === 'unreachable' || sender.hasConfirmed(revision);",
    replace: 'const isConfirmed = (sender: AgentSender) => sender.hasConfirmed(revision);',
    foundBy: programmed,
  },
  {
    name: 'a new leader lets go of a Service without having heard from the agents',
    file: `${FOLDER}/agents/programming.ts`,
    find: 'this.#goneSince.get(key) ?? this.#restoredRevision;',
    replace: 'this.#goneSince.get(key) ?? -1;',
    foundBy: programmed,
  },
  {
    name: 'a delta is since the wrong generation',
    file: `${FOLDER}/agents/agent-sender.ts`,
    find: 'deltaRequest(changes, confirmed.generation, generation)',
    replace: 'deltaRequest(changes, generation, generation)',
    foundBy: programmed,
  },
  {
    name: 'a higher epoch that an agent has seen is not passed',
    file: `${FOLDER}/agents/agent-sender.ts`,
    find: 'if (generation !== undefined && isAfter(generation, this.#sent)) {',
    replace: 'if (generation !== undefined && isAfter(this.#sent, generation)) {',
    foundBy: programmed,
  },
  {
    name: 'an agent whose answer was lost is not asked what it has',
    file: `${FOLDER}/agents/agent-sender.ts`,
    find: 'if (this.#attempt !== undefined) this.#isInDoubt = true;',
    replace: '',
    foundBy: programmed,
  },
  {
    name: 'an agent that agrees is sent everything all the same',
    file: `${FOLDER}/agents/agent-sender.ts`,
    find: 'if (generation !== undefined && digest === wanted.digest) {',
    replace: "if (generation !== undefined && digest === '') {",
    foundBy: programmed,
  },
  {
    name: 'an agent is never asked again whether it still has what it confirmed',
    file: `${FOLDER}/agents/agent-sender.ts`,
    find: 'if (clock.monotonic() - comparedAt >= comparisonMilliseconds) this.#isInDoubt = true;',
    replace: '',
    foundBy: programmed,
  },
  {
    name: 'one frontend that an agent refuses holds up all others',
    file: `${FOLDER}/agents/agent-sender.ts`,
    find: 'if (blamed.length > 0) return;',
    replace: 'for (const one of blamed) this.#refused.delete(one);',
    foundBy: programmed,
  },
  {
    name: 'what an agent refused is never offered again',
    file: `${FOLDER}/agents/refused-frontends.ts`,
    find: '(at > before ? [] : [frontend])',
    replace: '(at > 0 ? [] : [frontend])',
    foundBy: programmed,
  },
  {
    name: 'an agent goes on serving whom an edit shuts out',
    file: `${FOLDER}/agents/refused-frontends.ts`,
    find: 'return has !== undefined && admitsTheSame(has, wanted) ? has : undefined;',
    replace: 'return has;',
    foundBy: programmed,
  },
  {
    name: 'what an agent refuses a new leader is dropped',
    file: `${FOLDER}/agents/refused-frontends.ts`,
    find: 'const has = confirmed ?? refused.instead;',
    replace: 'const has = confirmed;',
    foundBy: programmed,
  },
  {
    name: 'a new leader that has nothing to send does not announce itself',
    file: `${FOLDER}/agents/agent-sender.ts`,
    find: 'if (known === epoch) return false;',
    replace: 'if (known <= epoch) return false;',
    foundBy: programmed,
  },
  {
    name: 'a Service that asks for an unknown pool is dropped by the next leader',
    file: `${FOLDER}/reconciler.ts`,
    find: `  } catch {
    return undefined;
  }`,
    replace: `  } catch (error) {
    throw error;
  }`,
    foundBy: programmed,
  },
  {
    name: 'a new leader has gateways drop what it is about to take from a Service',
    file: `${FOLDER}/reconciler.ts`,
    find: " || (outcome.kind === 'refuse' && outcome.shutsOut !== true)",
    replace: ' || this.#brake.holds(key, outcome)',
    foundBy: programmed,
  },
  {
    name: 'one answer that a new leader misses makes every Service unserved',
    file: `${FOLDER}/agents/agent-reach.ts`,
    find: 'const FAILURES_UNTIL_UNREACHABLE = 3;',
    replace: 'const FAILURES_UNTIL_UNREACHABLE = 1;',
    foundBy: programmed,
  },
  {
    name: 'a gateway that never answers a new leader stays in doubt for good',
    file: `${FOLDER}/agents/agent-reach.ts`,
    find: 'const FAILURES_UNTIL_UNREACHABLE = 3;',
    replace: 'const FAILURES_UNTIL_UNREACHABLE = Number.POSITIVE_INFINITY;',
    foundBy: programmed,
  },
  {
    name: 'a gateway that left the pools is never told',
    file: `${FOLDER}/controller.ts`,
    find: 'for (const gateway of gatewaysOf(current)) lead.dismissed.set(gateway.url, gateway);',
    replace: '',
    foundBy: { unit: `${FOLDER}/pool-source` },
  },
  {
    name: 'what changes while a request is under way is lost',
    file: `${FOLDER}/agents/agent-sender.ts`,
    find: 'for (const frontend of frontends) this.#pending.add(frontend);',
    replace: 'if (this.#wake !== undefined) for (const frontend of frontends) this.#pending.add(frontend);',
    foundBy: programmed,
  },
  {
    name: 'Programmed is told before any gateway has the address',
    file: `${FOLDER}/agents/programming.ts`,
    find: "if (!table.isServed(key, servers)) return { kind: 'waiting' };",
    replace: '',
    foundBy: { sim: 'gateway', seeds: 60 },
  },
  {
    name: 'one gateway is enough where all are wanted',
    file: `${FOLDER}/agents/programming.ts`,
    find: "this.#programmedWhen.get(pool) === 'all'",
    replace: 'this.#programmedWhen.get(pool) === undefined',
    foundBy: programmed,
  },
  {
    name: 'a Service keeps a frontend that it gave up',
    file: `${FOLDER}/agents/virtual-server-table.ts`,
    find: 'for (const frontend of gone) this.#entries.delete(frontend);',
    replace: '',
    foundBy: programmed,
  },
  {
    name: 'a frontend is taken from its owner',
    file: `${FOLDER}/agents/virtual-server-table.ts`,
    find: '(this.ownerOf(frontend) ?? owner) === owner',
    replace: "(this.ownerOf(frontend) ?? owner) !== ''",
    foundBy: { unit: `${FOLDER}/agents` },
  },
  {
    name: 'pods that are not ready get connections',
    file: `${FOLDER}/backends/virtual-servers.ts`,
    find: 'return selected.endpoints.map(',
    replace: 'return endpoints.map(',
    foundBy: backends,
  },
  {
    name: 'source ranges are left out',
    file: `${FOLDER}/backends/virtual-servers.ts`,
    find: "...(ranges.kind === 'any' ? {} : { sourceRanges: [...ranges[family]] }),",
    replace: '',
    foundBy: backends,
  },
  {
    name: 'nodes without endpoints get what must stay local',
    file: `${FOLDER}/backends/virtual-servers.ts`,
    find: "if (spec.externalTrafficPolicy !== 'Local')",
    replace: 'if (spec.externalTrafficPolicy !== undefined)',
    foundBy: backends,
  },
  {
    name: 'a change of the nodes goes unnoticed',
    file: `${FOLDER}/backends/cluster-view.ts`,
    find: 'return before === undefined || factsOf(before) !== factsOf(node);',
    replace: 'return before === undefined;',
    foundBy: programmed,
  },
];
