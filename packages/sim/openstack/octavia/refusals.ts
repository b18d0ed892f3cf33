import type { JsonObject } from '../../json.ts';
import { Refusal } from '../refusal.ts';
import type { OctaviaKind } from './store.ts';

/** What Octavia calls a resource in its messages. */
const TITLES: Readonly<Record<OctaviaKind, string>> = {
  loadbalancers: 'Load Balancer',
  listeners: 'Listener',
  pools: 'Pool',
  members: 'Member',
  healthmonitors: 'Health Monitor',
  flavors: 'Flavor',
};

const refused = (status: number, message: string): Refusal => new Refusal(status, 'Client', message);

export const invalid = (message: string): Refusal => refused(400, message);
export const invalidRequest = (detail: string): Refusal => refused(400, `Validation failure: ${detail}`);
export const conflict = (message: string): Refusal => refused(409, message);
export const missing = (kind: OctaviaKind, id: string): Refusal => refused(404, `${TITLES[kind]} ${id} not found.`);
export const forbidden = (): Refusal => refused(403, 'Policy does not allow this request to be performed.');
export const immutable = (title: string, id: string): Refusal =>
  refused(409, `${title} ${id} is immutable and cannot be updated.`);
export const wrongState = (state: string, id: string): Refusal =>
  refused(409, `Invalid state ${state} of loadbalancer resource ${id}`);
export const overQuota = (kind: OctaviaKind): Refusal =>
  refused(403, `Quota has been met for resources: ${TITLES[kind]}`);
export const unsupported = (provider: string, what: string): Refusal =>
  refused(501, `Provider '${provider}' does not support a requested option: ${what}`);
export const failed = (message: string): Refusal => new Refusal(500, 'Server', message);

/** What its web framework says, before Octavia itself sees the request. */
export const frameworkRefusal = (status: number, description: string): Refusal =>
  new Refusal(status, 'Framework', description);

const FRAMEWORK_TITLES: Readonly<Record<number, string>> = { 404: 'Not Found', 405: 'Method Not Allowed' };

export function octaviaError({ status, type, message }: Refusal): JsonObject {
  if (type !== 'Framework') return { faultcode: type, faultstring: message, debuginfo: null };
  const title = message === '' ? FRAMEWORK_TITLES[status] : undefined;
  return { code: status, title: title ?? 'Bad Request', description: message };
}
