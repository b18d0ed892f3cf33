import { type Clock, FairleadError } from '@fairlead/control';
import type { ApiConnection } from '@fairlead/kube';

const MINUTE = 60_000;
const EVERY_MINUTES = 10;
/** Long enough to be taken for silent, and to be seen so. */
const CUT = { from: 2, to: 7 };

/** A way to a server that is cut for five minutes out of ten, beginning with the third. */
export function nowAndThenCut(connection: ApiConnection, clock: Pick<Clock, 'monotonic'>): ApiConnection {
  const startedAt = clock.monotonic();
  const requireWay = () => {
    const minute = ((clock.monotonic() - startedAt) / MINUTE) % EVERY_MINUTES;
    if (minute < CUT.from || minute >= CUT.to) return;
    throw new FairleadError('the way is cut', { verdict: 'retriable', code: 'cut-off' });
  };
  async function* followed(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of body) {
      requireWay();
      yield piece;
    }
  }
  return {
    async send(request) {
      requireWay();
      const response = await connection.send(request);
      return { ...response, body: followed(response.body) };
    },
  };
}
