import type { Clock, Logger } from '@fairlead/control';
import type { ApiResponse, Configurable } from '../api/api.ts';
import { readToken } from './token.ts';
import { generationOf, translate } from './translate.ts';

export interface ApplyOptions {
  readonly secret: Buffer;
  readonly configurable: Pick<Configurable, 'take' | 'status'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** `POST /v1/apply` of ch-k8s-lbaas: its controller can stay while the gateways already run this agent. */
export async function answerApply(
  request: {
    readonly method: string;
    readonly path: string;
    readonly type: string;
    readonly body: string;
    readonly from: string;
  },
  { secret, configurable, clock, logger }: ApplyOptions,
): Promise<ApiResponse> {
  const { method, path, type, body, from } = request;
  const refuse = (status: number, message: string): ApiResponse => {
    logger.warn({ from, status, message }, 'a configuration was refused');
    return { status, body: { message } };
  };
  if (path !== '/v1/apply') return refuse(404, 'there is only /v1/apply here');
  if (method !== 'POST') return refuse(405, 'only POST is served here');
  if (type !== 'application/jwt') return refuse(415, 'the body must be application/jwt');
  const token = readToken(body, secret, clock.now());
  if (token.kind === 'refused') return refuse(400, token.message);
  const translated = translate(token.configuration);
  if (translated.kind === 'refused') return refuse(400, translated.message);
  const generation = generationOf(token.expires, configurable.status().generation);
  const told = await configurable.take({ kind: 'whole', generation, virtualServers: [...translated.virtualServers] });
  if (told.kind === 'taken') return { status: 200, body: told };
  return refuse(told.code === 'apply-failed' ? 500 : 400, told.message);
}
