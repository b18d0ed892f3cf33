import { unassignedNamed } from './named.ts';
import { type Observed, type OwnPort, ownPorts } from './observed.ts';
import { attachSteps, nextStep } from './plan.ts';
import type { PortScope } from './pool.ts';
import type { ConfiguredPool } from './resolve.ts';

/** What this leader has assigned to Services, as it knows it. */
export interface Assignments {
  readonly ports: readonly OwnPort[];
  readonly pools: readonly ConfiguredPool[];
  /** Whether it has given a port, which may not be among these. */
  isGiven(id: string): boolean;
  /** Whether it knows of a port: given, being made or given back. */
  isKnown(id: string): boolean;
  /** Ports and pools that could not be mended: they are not expected to be whole. */
  readonly unmended: ReadonlySet<string>;
}

/**
 * Whether all that was given is there as it was, with its marks and pairs, nothing that users name is left over, and
 * nothing of ours is there that was lost sight of, as a port that could not go while a floating IP of a user was on it.
 */
export function isIntact(scope: PortScope, observed: Observed, given: Assignments): boolean {
  const found = new Map(ownPorts(scope, observed).map((own) => [own.port.id, own]));
  const isSame = ({ port: { id }, address, fixedAddress }: OwnPort) => {
    const now = found.get(id);
    if (now?.address !== address || now.fixedAddress !== fixedAddress) return false;
    return given.unmended.has(id) || nextStep(scope, now, observed) === undefined;
  };
  const isAttached = ({ name, section }: ConfiguredPool) => {
    const addresses = given.ports.filter(({ pool }) => pool === name).map(({ fixedAddress }) => fixedAddress);
    const steps = attachSteps(observed.ports, addresses, new Set(section.gatewayPorts));
    return given.unmended.has(name) || steps.length === 0;
  };
  const isNews = [...found].some(([id, { stays }]) => !given.isKnown(id) || (stays && !given.isGiven(id)));
  const isNamedServed = unassignedNamed(scope, observed).every(({ name }) => given.unmended.has(name));
  return given.ports.every(isSame) && given.pools.every(isAttached) && isNamedServed && !isNews;
}
