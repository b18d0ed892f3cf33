import { FairleadError } from '../errors.ts';
import { parseIpAddress, parseIpRange, rangeContains } from './ip-address.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that HTTPS_PROXY names for a URL, unless NO_PROXY names its host, read as Go's programs read them: the host
 * itself is never asked for by way of a proxy. Only https has one: what we talk to otherwise is on the same machine. One
 * that cannot be used is told: to go past it would be to go where it may be forbidden.
 */
export function proxyFromEnvironment(url: URL, environment: Environment): URL | undefined {
  if (url.protocol !== 'https:') return undefined;
  const named = variable(environment, 'HTTPS_PROXY');
  if (named === '' || isLocal(url.hostname) || isExempt(url, variable(environment, 'NO_PROXY'))) return undefined;
  return usableProxy(named);
}

/** What the environment names that is not honoured, in a sentence; undefined: nothing. */
export function unusedProxy(environment: Environment): string | undefined {
  if (variable(environment, 'HTTPS_PROXY') !== '') return undefined;
  const name = ['HTTP_PROXY', 'ALL_PROXY'].find((one) => variable(environment, one) !== '');
  return name === undefined ? undefined : `${name} is not honoured: set HTTPS_PROXY, which is for all that has a proxy`;
}

/** Throws, without the credentials in it, for what is no proxy that we can use. */
export function usableProxy(text: string): URL {
  const proxy = parseProxy(text);
  if (proxy !== undefined) return proxy;
  const shown = text.replace(/^([^/]*\/\/)?.*@/, '$1');
  const message = `the proxy ${shown} cannot be used: it must be a URL that begins with http:// or https://`;
  throw new FairleadError(message, { verdict: 'terminal', code: 'invalid-proxy' });
}

/** `proxy.example.org:3128` is one of http; undefined for what is no proxy that we can use. */
function parseProxy(text: string): URL | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
}

function variable(environment: Environment, name: string): string {
  return (environment[name] || environment[name.toLowerCase()] || '').trim();
}

function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** Of a list of names, domains, addresses and ranges, each with a port or without, and `*` for everything. */
function isExempt(url: URL, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => isMeant(entry.toLowerCase(), url));
}

function isMeant(entry: string, url: URL): boolean {
  if (entry === '*') return true;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const range = parseIpRange(entry);
  const address = parseIpAddress(host)?.address;
  if (range !== undefined) return address !== undefined && rangeContains(range, address);
  const [, name = '', port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
  if (port !== undefined && port !== (url.port || '443')) return false;
  if (address !== undefined) return parseIpAddress(name)?.address === address;
  if (name.startsWith('.')) return host.endsWith(name);
  return host === name.replace(/^\*\./, '') || host.endsWith(`.${name.replace(/^\*\./, '')}`);
}
