import { FairleadError, messageOf } from '@fairlead/control';
import type { FrontendError } from '../../protocol/answer.ts';
import { frontendKey } from '../../protocol/configuration.ts';
import type { Changes } from '../../protocol/delta.ts';

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

/** The frontends at fault, as far as the error tells. */
export function failedFrontends(error: unknown, { put }: Changes): readonly FrontendError[] {
  if (!(error instanceof NftRefusal)) return [];
  const byText = new Map(
    put.map(({ address, protocol, port }) => [
      `${address} . ${protocol.toLowerCase()} . ${port}`,
      { address, protocol, port },
    ]),
  );
  const errors = error.places.flatMap((place): FrontendError[] => {
    const frontend = byText.get(place.split(' . ').slice(0, 3).join(' . ').split(' : ')[0] ?? '');
    return frontend === undefined ? [] : [{ frontend, code: error.code, message: messageOf(error) }];
  });
  return [...new Map(errors.map((one) => [frontendKey(one.frontend), one])).values()];
}
