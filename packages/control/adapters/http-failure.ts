import { errors } from 'undici';
import { FairleadError, messageOf, systemCodeOf, type Verdict } from '../errors.ts';

interface Explanation {
  readonly code: string;
  readonly verdict: Verdict;
  readonly words: string;
}

const refused: Explanation = {
  code: 'connection-refused',
  verdict: 'retriable',
  words: 'nothing listens there: check the address and the port, and whether it runs',
};
const reset: Explanation = {
  code: 'connection-reset',
  verdict: 'retriable',
  words: 'the connection broke off before the response was complete',
};
const unreachable: Explanation = {
  code: 'host-unreachable',
  verdict: 'retriable',
  words: 'there is no route to the host: check the network and the address',
};
const closed: Explanation = {
  code: 'transport-closed',
  verdict: 'retriable',
  words: 'our side is shutting down and has closed its connections',
};
const untrusted: Explanation = {
  code: 'tls-untrusted',
  verdict: 'terminal',
  words: 'its certificate is not signed by a CA we trust: configure the CA that signed it',
};
const expired: Explanation = {
  code: 'tls-expired',
  verdict: 'terminal',
  words: 'its certificate is not valid at this time: renew it, or set the clock of this machine right',
};

const timedOut = (words: string): Explanation => ({ code: 'timeout', verdict: 'retriable', words });

/** What Node, OpenSSL and undici call a failure, and what it means. */
const explanations = new Map<string, Explanation>([
  ['ECONNREFUSED', refused],
  ['ECONNRESET', reset],
  ['EPIPE', reset],
  ['UND_ERR_SOCKET', reset],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', reset],
  ['Z_BUF_ERROR', reset],
  ['Z_DATA_ERROR', { code: 'garbled-response', verdict: 'retriable', words: 'the response cannot be decompressed' }],
  ['ENOTFOUND', { code: 'name-not-found', verdict: 'retriable', words: 'its name does not exist: check the spelling' }],
  ['EAI_AGAIN', { code: 'name-lookup-failed', verdict: 'retriable', words: 'the name server did not answer' }],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
  ['EADDRNOTAVAIL', unreachable],
  ['ETIMEDOUT', timedOut('it did not answer in time')],
  ['UND_ERR_CONNECT_TIMEOUT', timedOut('the connection could not be made in time')],
  ['UND_ERR_HEADERS_TIMEOUT', timedOut('no response came in time')],
  ['UND_ERR_BODY_TIMEOUT', timedOut('the response stopped arriving')],
  ['UND_ERR_DESTROYED', closed],
  ['UND_ERR_CLOSED', closed],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
  ['CERT_SIGNATURE_FAILURE', untrusted],
  ['CERT_UNTRUSTED', untrusted],
  ['CERT_REJECTED', untrusted],
  ['INVALID_CA', untrusted],
  ['CERT_HAS_EXPIRED', expired],
  ['CERT_NOT_YET_VALID', expired],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    {
      code: 'tls-wrong-name',
      verdict: 'terminal',
      words: 'its certificate is for another name: use that name, or configure the server name to expect',
    },
  ],
]);

const tlsRefused: Explanation = {
  code: 'tls-refused',
  verdict: 'terminal',
  words: 'it refused our side of the TLS handshake: check the client certificate and what the server asks for',
};
const tlsBroken: Explanation = {
  code: 'tls-broken',
  verdict: 'retriable',
  words: 'it does not speak TLS there: check the port, and https against http',
};
const notHttp: Explanation = {
  code: 'not-http',
  verdict: 'retriable',
  words: 'it does not speak HTTP there: check the port, and https against http',
};
const unusable: Explanation = {
  code: 'invalid-request',
  verdict: 'terminal',
  words: 'the request could not be written',
};
const unknown: Explanation = { code: 'connection-failed', verdict: 'retriable', words: 'the connection failed' };

/** Why no response came from `origin`, in plain words. */
export function explainFailure(origin: string, error: unknown): FairleadError {
  if (error instanceof FairleadError) return error;
  const systemCode = codeBehind(error);
  const { code, verdict, words } = error instanceof errors.HTTPParserError ? notHttp : explanationOf(systemCode);
  const detail = systemCode ?? messageOf(error);
  return new FairleadError(`cannot talk to ${origin}: ${words} (${detail})`, { verdict, code, cause: error });
}

function explanationOf(systemCode: string | undefined): Explanation {
  if (systemCode === undefined) return unknown;
  const known = explanations.get(systemCode);
  if (known !== undefined) return known;
  if (systemCode.startsWith('ERR_SSL_')) return systemCode.includes('ALERT') ? tlsRefused : tlsBroken;
  if (systemCode === 'EPROTO') return tlsBroken;
  if (systemCode === 'UND_ERR_INVALID_ARG') return unusable;
  return unknown;
}

/** The code may sit on the error itself, on its cause, or on one of several attempts at different addresses. */
function codeBehind(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const own = systemCodeOf(error);
  if (own === 'UND_ERR_SOCKET' || own === undefined) return codeBehind(error.cause) ?? firstAttempt(error) ?? own;
  return own;
}

function firstAttempt(error: Error): string | undefined {
  return error instanceof AggregateError ? codeBehind(error.errors[0]) : undefined;
}
