import { once } from 'node:events';
import { createServer } from 'node:http';
import { type OpenStackAccess, parseAccess, type RunningOpenStack, startOpenStack } from './openstack.ts';

/** One OpenStack for all tests of a run: started when the first of them asks, as it costs some ten seconds. */
export async function shareOpenStack(
  start: () => Promise<RunningOpenStack> = startOpenStack,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let running: Promise<RunningOpenStack> | undefined;
  const server = createServer((_, response) => {
    running ??= start();
    running.then(
      ({ access }) => response.end(JSON.stringify(access)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await (await running?.catch(() => undefined))?.stop();
    },
  };
}

/** The OpenStack of this run. What a test makes in it, it takes away again. */
export async function sharedOpenStack(url: string): Promise<OpenStackAccess> {
  const response = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!response.ok) throw new Error(await response.text());
  return parseAccess(await response.json());
}
