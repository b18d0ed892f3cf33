import { fieldOf, type Logger } from '@fairlead/control';
import type { z } from 'zod';
import type { AgentStatus, ConfigurationAnswer, FrontendError } from '../../protocol/answer.ts';
import {
  type ConfigurationRequest,
  configurationRequest,
  frontend,
  frontendKey,
  leaderAnnouncement,
} from '../../protocol/configuration.ts';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Who asks, for the log. */
  readonly from: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
}

/** What the API is in front of. */
export interface Configurable {
  take(request: ConfigurationRequest): Promise<ConfigurationAnswer>;
  status(): AgentStatus;
  /** Hears of a leader; gives the highest epoch there was. */
  announce(epoch: number): Promise<number>;
}

const STATUS_BY_CODE: ReadonlyMap<string, number> = new Map([
  ['invalid', 400],
  ['not-allowed', 403],
  ['older-generation', 409],
  ['unknown-generation', 409],
  ['busy', 503],
  ['apply-failed', 500],
]);
/** Of the mistakes in a request, the first few are told. */
const MOST_ISSUES = 5;

/** Answers a request of a controller that was let in. */
export async function answer(request: ApiRequest, configurable: Configurable, logger: Logger): Promise<ApiResponse> {
  const { method, path, from } = request;
  if (path === '/v1/status') {
    if (method === 'GET') return { status: 200, body: configurable.status() };
    return { status: 405, body: { message: 'only GET is served here' } };
  }
  if (path !== '/v1/config' && path !== '/v1/leader') {
    return { status: 404, body: { message: 'there are /v1/config, /v1/leader and /v1/status' } };
  }
  if (method !== 'PUT') return { status: 405, body: { message: 'only PUT is served here' } };
  if (path === '/v1/leader') return announce(request, configurable, logger);
  const told = await take(request.body, configurable);
  if (told.kind === 'taken') {
    logger.info({ from, generation: told.generation }, 'a configuration was taken');
    return { status: 200, body: told };
  }
  const { code, message, errors } = told;
  logger.warn({ from, code, message, errors: errors.slice(0, MOST_ISSUES) }, 'a configuration was refused');
  return { status: STATUS_BY_CODE.get(code) ?? 500, body: told };
}

async function announce({ body, from }: ApiRequest, configurable: Configurable, logger: Logger): Promise<ApiResponse> {
  const read = leaderAnnouncement.safeParse(documentIn(body));
  if (!read.success) {
    logger.warn({ from }, 'an announcement that is none was refused');
    return { status: 400, body: { message: 'an epoch is missing' } };
  }
  const { epoch } = read.data;
  const highest = await configurable.announce(epoch);
  if (highest === epoch) return { status: 200, body: { epoch } };
  logger.warn({ from, epoch, highest }, 'a leader announced itself, and a newer one had done so before');
  return { status: 409, body: { epoch: highest } };
}

function documentIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Everything is checked before anything is done with it. */
function take(body: string, configurable: Configurable): Promise<ConfigurationAnswer> | ConfigurationAnswer {
  const document = documentIn(body);
  if (document === undefined) return { kind: 'refused', code: 'invalid', message: 'the body is no JSON', errors: [] };
  const read = configurationRequest.safeParse(document);
  if (read.success) return configurable.take(read.data);
  const issues = read.error.issues.slice(0, MOST_ISSUES);
  const message = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  return { kind: 'refused', code: 'invalid', message, errors: blamed(document, read.error.issues) };
}

/** The frontends in which the mistakes are, so that the controller can go on without them. */
function blamed(document: unknown, issues: readonly z.core.$ZodIssue[]): FrontendError[] {
  const found = new Map<string, FrontendError>();
  for (const { path, message } of issues) {
    const [list, index, ...rest] = path;
    if ((list !== 'virtualServers' && list !== 'put') || typeof index !== 'number') continue;
    const named = frontend.safeParse(frontendFields(document, list, index));
    if (!named.success) continue;
    const error = { frontend: named.data, code: 'invalid', message: `${rest.join('.')}: ${message}` };
    found.set(frontendKey(named.data), error);
  }
  return [...found.values()];
}

function frontendFields(document: unknown, list: string, index: number): object | undefined {
  const all: unknown = fieldOf(document, list);
  const one: unknown = Array.isArray(all) ? all[index] : undefined;
  if (typeof one !== 'object' || one === null) return undefined;
  const { address, protocol, port }: Record<string, unknown> = { ...one };
  return { address, protocol, port };
}
