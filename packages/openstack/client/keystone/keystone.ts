import {
  type AccessToken,
  CallScope,
  type CloudAnswer,
  CloudConnection,
  type CloudConnectionOptions,
  type TokenProvider,
  unexpectedAnswer,
  what,
} from '@fairlead/cloud';
import { codeOf, FairleadError, messageOf } from '@fairlead/control';
import { z } from 'zod';
import { openStackDialect, type OpenStackRequest } from '../api/dialect.ts';
import { problemIn } from '../api/errors.ts';
import type { OpenStackCloud } from '../configuration/cloud.ts';
import { adviceFor, askerText, authenticationBody, projectText, unscopedBody } from './authentication.ts';
import { type Catalog, catalogShape } from './catalog.ts';

export interface KeystoneOptions extends Pick<CloudConnectionOptions, 'transport' | 'clock' | 'random' | 'metrics'> {
  readonly cloud: OpenStackCloud;
  readonly userAgent: string;
}

/** A token, and what it is good for. */
export interface KeystoneToken extends AccessToken {
  readonly catalog: Catalog;
  readonly projectId: string;
}

/** Within the 30 s that a token may take; Keystone hashes passwords slowly on purpose. */
const DEADLINE_MILLISECONDS = 25_000;
/** Many Keystones lock a user after a few wrong passwords: what was refused is not tried again before this. */
const REFUSED_MILLISECONDS = 60_000;
const SERVER = 'Keystone v3';

const tokenShape = z.object({
  token: z.object({
    expires_at: z.iso.datetime({ offset: true }),
    catalog: catalogShape.optional(),
    project: z.object({ id: z.string() }).optional(),
  }),
});

/** Gives tokens for the configured credentials. Rejects with one line that says what is wrong with them. */
export class Keystone implements TokenProvider {
  readonly #options: KeystoneOptions;
  readonly #connection: CloudConnection<OpenStackRequest>;
  #refused: { readonly error: FairleadError; readonly until: number } | undefined;

  constructor(options: KeystoneOptions) {
    this.#options = options;
    // Without the check of the Lease: to log in changes nothing.
    const { transport, clock, random, metrics, userAgent } = options;
    this.#connection = new CloudConnection(openStackDialect(SERVER, userAgent), { transport, clock, random, metrics });
  }

  async newToken(signal: AbortSignal): Promise<KeystoneToken> {
    const refused = this.#refused;
    if (refused !== undefined && this.#options.clock.monotonic() < refused.until) throw refused.error;
    const answer = await this.#authenticate(signal);
    this.#refused = undefined;
    return this.#tokenIn(answer);
  }

  /**
   * What Keystone refused is told without the refusal as its cause: to a caller who asks for a port, a Keystone that
   * answers 404 does not mean that the port is gone.
   */
  async #authenticate(signal: AbortSignal): Promise<CloudAnswer> {
    const { cloud, clock } = this.#options;
    try {
      return await this.#post(authenticationBody(cloud), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (problemIn(error) === undefined) throw error;
      // An application credential or a token that there is not, is not found.
      const isRefused = ['unauthorized', 'not-found'].includes(problemIn(error) ?? '');
      if (!isRefused) throw unavailable(cloud, error);
      const refusal = await this.#refusal(error, signal);
      this.#refused = { error: refusal, until: clock.monotonic() + REFUSED_MILLISECONDS };
      throw refusal;
    }
  }

  /** Keystone does not say what it does not like; whether it is the project shows without one. */
  async #refusal(error: unknown, signal: AbortSignal): Promise<FairleadError> {
    const { cloud } = this.#options;
    const { project, credential } = cloud;
    if (project !== undefined && (await this.#acceptsWithoutProject(signal))) {
      return refusedBy(
        cloud,
        `accepts ${askerText(cloud)}, but not for ${projectText(project)}: there is no such project, or no role in it`,
      );
    }
    return refusedBy(cloud, `does not accept ${askerText(cloud)}: ${adviceFor(credential)} (${messageOf(error)})`);
  }

  async #acceptsWithoutProject(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#post(unscopedBody(this.#options.cloud), signal);
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  #post(body: object, signal: AbortSignal): Promise<CloudAnswer> {
    const { cloud, clock } = this.#options;
    const url = `${cloud.authUrl}/auth/tokens`;
    const about = { verb: 'POST', kind: 'tokens', subject: cloud.name, method: 'POST' } as const;
    const request = { ...about, url, account: new URL(url).host, throttle: 'wait', body } as const;
    return this.#connection.send(request, new CallScope(clock, what(request), DEADLINE_MILLISECONDS, signal));
  }

  #tokenIn({ headers, body }: CloudAnswer): KeystoneToken {
    const text = headers['x-subject-token'];
    const parsed = tokenShape.safeParse(body);
    if (text === undefined || !parsed.success) {
      throw unexpectedAnswer(SERVER, `logging in at ${this.#options.cloud.authUrl}`, 'has no token in it');
    }
    const { expires_at, catalog, project } = parsed.data.token;
    if (project === undefined || catalog === undefined) {
      throw refusedBy(this.#options.cloud, 'gave a token without a project: set project_name or project_id');
    }
    return { text, expiresAt: Date.parse(expires_at), catalog, projectId: project.id };
  }
}

/** Secrets are renewed and projects are made while we run. */
function refusedBy({ name, authUrl }: OpenStackCloud, how: string): FairleadError {
  return new FairleadError(`Keystone of the cloud ${name} at ${authUrl} ${how}`, {
    verdict: 'retriable',
    code: 'openstack-unauthorized',
  });
}

function unavailable({ name, authUrl }: OpenStackCloud, error: unknown): FairleadError {
  return new FairleadError(`Keystone of the cloud ${name} at ${authUrl} gave no token: ${messageOf(error)}`, {
    verdict: 'retriable',
    code: codeOf(error),
  });
}
