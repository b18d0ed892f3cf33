import type { ConfigurationAnswer, FrontendError } from '../../protocol/answer.ts';
import { frontendKey, type Generation } from '../../protocol/configuration.ts';
import type { VirtualServers } from '../../protocol/delta.ts';
import type { Refusal } from './admission.ts';

/** Of the frontends at fault in one answer: a controller reads no more than a few times as much. */
const MOST_ERROR_CHARACTERS = 4_000_000;

/**
 * Why a configuration is not taken, and what the agent has at the frontends at fault. Names as many of them as an answer
 * may hold: the others are told when it is sent without these.
 */
export function refusedAnswer(
  { code, message, errors = [] }: Refusal,
  served: VirtualServers,
  generation: Generation | undefined,
): ConfigurationAnswer {
  const told: FrontendError[] = [];
  let room = MOST_ERROR_CHARACTERS;
  for (const error of errors) {
    const current = served.get(frontendKey(error.frontend));
    const one = current === undefined ? error : { ...error, current };
    room -= JSON.stringify(one).length;
    if (room < 0 && told.length > 0) break;
    told.push(one);
  }
  return { kind: 'refused', code, message, errors: told, ...(generation === undefined ? {} : { generation }) };
}
