import { FairleadError } from '@fairlead/control';

/**
 * A link from an answer of Azure, to which our token will be sent: it must lead to the endpoint we know, or to a
 * subdomain of it, as regional ones are.
 */
export function trustedLink(what: string, endpoint: string, link: string): string {
  const known = new URL(endpoint);
  const url = URL.parse(link, endpoint);
  const isSame = url?.origin === known.origin;
  const isBelow = url?.protocol === 'https:' && known.protocol === 'https:' && url.host.endsWith(`.${known.host}`);
  if (url !== null && (isSame || isBelow)) return url.href;
  throw new FairleadError(`${what}: the answer leads to ${link}, which is not ${known.origin}; not followed`, {
    verdict: 'terminal',
    code: 'untrusted-link',
  });
}
