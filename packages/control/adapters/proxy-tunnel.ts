import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { FairleadError } from '../errors.ts';
import { explainFailure } from './http-failure.ts';

/** Has a proxy make a connection to `target`, which is `host:port` (CONNECT); `done` is called once. */
export function openTunnel(
  proxy: URL,
  target: string,
  timeoutMilliseconds: number,
  done: (opened: { readonly socket: Socket } | { readonly error: FairleadError }) => void,
): void {
  const request = (proxy.protocol === 'https:' ? secureRequest : plainRequest)({
    method: 'CONNECT',
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    path: target,
    headers: { host: target, ...authorization(proxy) },
    agent: false,
    timeout: timeoutMilliseconds,
  });
  request.once('connect', ({ statusCode = 0, statusMessage = '' }, socket, head) => {
    if (statusCode < 200 || statusCode >= 300) {
      socket.destroy();
      done({ error: refused(proxy, target, `${statusCode} ${statusMessage}`.trim()) });
      return;
    }
    socket.setTimeout(0);
    if (head.length > 0) socket.unshift(head);
    done({ socket });
  });
  request.once('timeout', () => request.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
  request.once('error', (error) => done({ error: explainFailure(`the proxy ${proxy.origin}`, error) }));
  request.end();
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** A proxy's answer to one try may be chance: it may have failed to reach the host. */
function refused(proxy: URL, target: string, answer: string): FairleadError {
  const fix = 'look at its rules and at the credentials in its URL, or name the host in NO_PROXY';
  const message = `the proxy ${proxy.origin} does not connect us to ${target} (${answer}): ${fix}`;
  return new FairleadError(message, { verdict: 'retriable', code: 'proxy-refused' });
}
