import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { FairleadError, messageOf, TokenBucket } from '@fairlead/control';
import type { ApiResponse } from '../api/api.ts';
import { answerApply, type ApplyOptions } from '../compatibility/apply.ts';
import {
  CHECK_MILLISECONDS,
  close,
  limitServer,
  listening,
  portOf,
  readBody,
  REQUEST_RATE,
  send,
  USUAL_LIMITS,
} from './limited-server.ts';
import type { ApiServer } from './server.ts';

const SHORTEST_SECRET_BYTES = 16;

export interface ApplyListenerOptions extends Omit<ApplyOptions, 'secret'> {
  readonly listen: string;
  readonly secretFile: string;
}

/** Serves the controller of ch-k8s-lbaas, which speaks HTTP and signs what it sends. */
export async function startApplyListener(options: ApplyListenerOptions): Promise<ApiServer> {
  const { listen, secretFile, clock, logger } = options;
  const secret = await readSecret(secretFile);
  const server = createServer({ connectionsCheckingInterval: CHECK_MILLISECONDS });
  limitServer(server, USUAL_LIMITS, logger);
  const requests = new TokenBucket(clock, REQUEST_RATE);
  const respond = async (request: IncomingMessage): Promise<ApiResponse> => {
    if (requests.take() > 0) return { status: 429, body: { message: 'too many requests' } };
    const body = await readBody(request, USUAL_LIMITS.bodyBytes);
    if (body === undefined) return { status: 413, body: { message: 'the body is too long' } };
    const { pathname: path } = new URL(request.url ?? '/', 'http://agent');
    const from = request.socket.remoteAddress ?? '';
    const type = request.headers['content-type'] ?? '';
    return answerApply({ method: request.method ?? '', path, type, body, from }, { ...options, secret });
  };
  server.on('request', (request, response) => {
    void respond(request).then(
      (told) => send(response, told),
      () => response.destroy(),
    );
  });
  await listening(server, listen);
  return { port: portOf(server), close: () => close(server) };
}

async function readSecret(file: string): Promise<Buffer> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new FairleadError(`cannot read ${file}: ${messageOf(cause)}`, {
      verdict: 'retriable',
      code: 'secret-unreadable',
      cause,
    });
  });
  const secret = Buffer.from(text.trim(), 'base64');
  if (secret.length >= SHORTEST_SECRET_BYTES) return secret;
  throw new FairleadError(
    `${file} must hold at least ${SHORTEST_SECRET_BYTES} bytes in base64, as the controller's does`,
    {
      verdict: 'terminal',
      code: 'secret-too-short',
    },
  );
}
