import type { Clock, HttpTransport, RateLimit } from '@fairlead/control';
import { HttpConnection } from '../api/http-connection.ts';

/** The address of a server that is reached by a transport of its own, whatever its name. */
export const ANY_SERVER = 'http://kube';

/** A connection without credentials over this transport, such as that of a simulated API server. */
export function connectionOver(
  transport: HttpTransport,
  clock: Clock,
  userAgent = 'test',
  rate?: RateLimit,
): HttpConnection {
  const credential = { headers: {}, tls: {} };
  return new HttpConnection({
    server: ANY_SERVER,
    credentials: { current: async () => credential, renew() {} },
    transport: () => ({ send: (request) => transport.send(request), close: async () => {} }),
    clock,
    userAgent,
    ...(rate === undefined ? {} : { rate }),
  });
}
