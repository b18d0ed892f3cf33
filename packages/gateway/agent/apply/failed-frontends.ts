import { FairleadError, messageOf } from '@fairlead/control';
import type { FrontendError } from '../../protocol/answer.ts';
import { type Frontend, frontendKey, type VirtualServer } from '../../protocol/configuration.ts';
import type { Changes } from '../../protocol/delta.ts';
import { portionsBySize } from '../nftables/served.ts';
import { findRefused } from './bisection.ts';

/** nft refused a script. `places` are the pieces of it that nft points at. */
export class NftRefusal extends FairleadError {
  readonly places: readonly string[];

  constructor(message: string, places: readonly string[]) {
    super(`nft refused: ${message}`, { verdict: 'terminal', code: 'nft-refused' });
    this.places = places;
  }
}

/** Lines and columns as nft prints them, first and last included. */
const PLACE = /^\S*?:(\d+):(\d+)-(\d+): Error: (.*)$/gm;
const LONGEST_MESSAGE = 500;

/** Understands what nft prints about a script that it refused. */
export function nftRefusal(script: string, printed: string): NftRefusal {
  const lines = script.split('\n');
  const found = [...printed.matchAll(PLACE)];
  const places = found.map(([, line, first, last]) =>
    (lines[Number(line) - 1] ?? '').slice(Number(first) - 1, Number(last)),
  );
  const message = found[0]?.[4] ?? printed.trim();
  return new NftRefusal(message.slice(0, LONGEST_MESSAGE), places);
}

function failedFrontend({ address, protocol, port }: Frontend, error: NftRefusal): FrontendError {
  return { frontend: { address, protocol, port }, code: error.code, message: messageOf(error) };
}

/**
 * The frontends at fault. nft does not always say where it found fault: then parts of what it refused are tried without
 * effect.
 */
export async function failedFrontends(
  error: unknown,
  changes: Changes,
  isTaken: (part: readonly VirtualServer[]) => Promise<boolean>,
): Promise<readonly FrontendError[]> {
  if (!(error instanceof NftRefusal)) return [];
  const pointedAt = frontendsAt(error, changes);
  if (pointedAt.length > 0) return pointedAt;
  try {
    // Where it takes nothing at all, none of them is at fault.
    if (!(await isTaken([]))) return [];
    const found = await findRefused([...portionsBySize(changes.put)], isTaken);
    return found.map((one) => failedFrontend(one, error));
  } catch {
    return [];
  }
}

/** Those that nft points at. */
function frontendsAt(error: NftRefusal, { put }: Changes): readonly FrontendError[] {
  const byText = new Map(
    put.map(({ address, protocol, port }) => [
      `${address} . ${protocol.toLowerCase()} . ${port}`,
      { address, protocol, port },
    ]),
  );
  const errors = error.places.flatMap((place): FrontendError[] => {
    const frontend = byText.get(place.split(' . ').slice(0, 3).join(' . ').split(' : ')[0] ?? '');
    return frontend === undefined ? [] : [failedFrontend(frontend, error)];
  });
  return [...new Map(errors.map((one) => [frontendKey(one.frontend), one])).values()];
}
