import type { Claim } from '../claim/class-claim.ts';

/** The claim, which must be in this state. */
export function claimIn<State extends Claim['state']>(state: State, claim: Claim): Extract<Claim, { state: State }> {
  if (!isIn(state, claim)) throw new Error(`expected ${state}, got ${claim.state}: ${claim.sentence}`);
  return claim;
}

function isIn<State extends Claim['state']>(state: State, claim: Claim): claim is Extract<Claim, { state: State }> {
  return claim.state === state;
}
