import { type Clock, type Random, randomUuid } from '@fairlead/control';
import { isJsonObject, type Json, type JsonObject, listOf, textOf, valueAt } from '../../json.ts';
import { badRequest, Refusal, UNAUTHORIZED } from '../refusal.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
}

interface User {
  readonly id: string;
  readonly name: string;
  password: string;
  readonly projects: Set<string>;
  isAdmin: boolean;
}

interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
  readonly user: User;
  readonly project: Project;
  /** Wall time. */
  readonly expiresAt: number | undefined;
}

interface Token {
  readonly user: User;
  readonly project: Project | undefined;
  readonly methods: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  revokedAt?: number;
}

/** Who asks: what a service learns of a token. */
export interface Requester {
  readonly projectId: string;
  readonly isAdmin: boolean;
}

export interface IssuedToken {
  readonly text: string;
  readonly body: JsonObject;
}

const DOMAIN = { id: 'default', name: 'Default' };

/** Keystone: users, projects, application credentials and tokens of one domain. */
export class Identity {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #projects: Project[] = [];
  readonly #users: User[] = [];
  readonly #credentials: ApplicationCredential[] = [];
  readonly #tokens = new Map<string, Token>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  addProject(name: string): Project {
    const project = { id: this.#newId(), name };
    this.#projects.push(project);
    return project;
  }

  /** A user who is a member of these projects; an administrator may do everything in them. */
  addUser(name: string, password: string, projects: readonly Project[], isAdmin = false): void {
    const ids = new Set(projects.map(({ id }) => id));
    this.#users.push({ id: this.#newId(), name, password, projects: ids, isAdmin });
  }

  setPassword(name: string, password: string): void {
    const user = this.#users.find((one) => one.name === name);
    if (user === undefined) throw new Error(`there is no user ${name}`);
    user.password = password;
  }

  addApplicationCredential(
    userName: string,
    project: Project,
    expiresAt?: number,
  ): { readonly id: string; readonly secret: string } {
    const user = this.#users.find((one) => one.name === userName);
    if (user === undefined) throw new Error(`there is no user ${userName}`);
    const name = `credential-${this.#credentials.length + 1}`;
    const credential = { id: this.#newId(), name, secret: this.#newId(), user, project, expiresAt };
    this.#credentials.push(credential);
    return credential;
  }

  /** All tokens there are, as a change of a password does. */
  revokeTokens(): void {
    const now = this.#clock.now();
    for (const token of this.#tokens.values()) token.revokedAt ??= now;
  }

  /** `POST /v3/users/ID/application_credentials`, by the user for the project of the token. */
  createApplicationCredential(token: string | undefined, body: Json | undefined): JsonObject {
    const known = this.#tokens.get(token ?? '');
    if (known?.project === undefined) throw unauthorized();
    const given = valueAt(body, 'application_credential');
    const expires = valueAt(given, 'expires_at');
    const expiresAt = typeof expires === 'string' ? Date.parse(`${expires.replace('Z', '')}Z`) : undefined;
    const { id, secret } = this.addApplicationCredential(known.user.name, known.project, expiresAt);
    return { id, secret, name: textOf(valueAt(given, 'name')), project_id: known.project.id };
  }

  /** `GET /v3/auth/tokens`. */
  describe(token: string | undefined): JsonObject {
    return { token: bodyOf(this.#known(token), undefined) };
  }

  /** `DELETE /v3/auth/tokens`. */
  revoke(token: string | undefined): void {
    this.#known(token).revokedAt ??= this.#clock.now();
  }

  /** `POST /v3/auth/tokens`. */
  issue(body: Json | undefined, lifetime: number, catalog: Json): IssuedToken {
    const auth = valueAt(body, 'auth');
    const identity = valueAt(auth, 'identity');
    if (!isJsonObject(identity)) throw badRequest("'identity' is a required property");
    const { user, methods, credential, expiresAt } = this.#identified(identity);
    const project = credential?.project ?? this.#scoped(valueAt(auth, 'scope'), user);
    const issuedAt = this.#clock.now();
    // A token that is made from a token lives no longer than that.
    const token = { user, project, methods, issuedAt, expiresAt: expiresAt ?? issuedAt + lifetime };
    const text = `gAAAAAB${randomUuid(this.#random).replaceAll('-', '')}`;
    this.#tokens.set(text, token);
    return { text, body: { token: bodyOf(token, project === undefined ? undefined : catalog) } };
  }

  /** Who shows this token; throws when it is none, or no longer good. */
  authenticate(text: string | undefined, cacheMilliseconds: number): Requester {
    const token = text === undefined ? undefined : this.#tokens.get(text);
    const now = this.#clock.now();
    const isGood =
      token !== undefined &&
      now < token.expiresAt &&
      (token.revokedAt === undefined || now < token.revokedAt + cacheMilliseconds);
    if (!isGood || token.project === undefined) throw new Refusal(401, 'Unauthorized', UNAUTHORIZED);
    return { projectId: token.project.id, isAdmin: token.user.isAdmin };
  }

  #identified(identity: JsonObject): {
    readonly user: User;
    readonly methods: readonly string[];
    readonly credential?: ApplicationCredential;
    readonly expiresAt?: number;
  } {
    const methods = listOf(identity['methods']).map(textOf);
    if (methods.includes('password')) {
      const given = valueAt(identity, 'password', 'user');
      const user = this.#findUser(given);
      if (user === undefined || user.password !== textOf(valueAt(given, 'password'))) throw unauthorized();
      return { user, methods };
    }
    if (methods.includes('application_credential')) {
      const credential = this.#findCredential(valueAt(identity, 'application_credential'));
      return { user: credential.user, methods, credential };
    }
    const token = this.#known(textOf(valueAt(identity, 'token', 'id')));
    if (token.revokedAt !== undefined || token.expiresAt <= this.#clock.now()) {
      throw new Refusal(404, 'NotFound', 'Failed to validate token');
    }
    return { user: token.user, methods: ['token', ...token.methods], expiresAt: token.expiresAt };
  }

  #known(text: string | undefined): Token {
    const token = this.#tokens.get(text ?? '');
    if (token === undefined) throw new Refusal(404, 'NotFound', 'Could not recognize Fernet token');
    return token;
  }

  #findUser(given: Json | undefined): User | undefined {
    const id = valueAt(given, 'id');
    if (id !== undefined) return this.#users.find((user) => user.id === id);
    if (!isDomain(valueAt(given, 'domain'))) return undefined;
    return this.#users.find((user) => user.name === valueAt(given, 'name'));
  }

  #findCredential(given: Json | undefined): ApplicationCredential {
    const id = valueAt(given, 'id');
    const owner = this.#findUser(valueAt(given, 'user'));
    const found = this.#credentials.find((one) =>
      id === undefined ? one.name === valueAt(given, 'name') && one.user === owner : one.id === id,
    );
    if (found === undefined) {
      throw new Refusal(404, 'NotFound', `Could not find Application Credential: ${textOf(id)}.`);
    }
    const isExpired = found.expiresAt !== undefined && found.expiresAt <= this.#clock.now();
    if (isExpired || found.secret !== textOf(valueAt(given, 'secret'))) throw unauthorized();
    return found;
  }

  /** Keystone does not tell a project that is not there from one without a role in it. */
  #scoped(scope: Json | undefined, user: User): Project | undefined {
    const given = valueAt(scope, 'project');
    if (given === undefined) return undefined;
    const id = valueAt(given, 'id');
    const isNamed = (project: Project) => isDomain(valueAt(given, 'domain')) && project.name === valueAt(given, 'name');
    const project = this.#projects.find((one) => (id === undefined ? isNamed(one) : one.id === id));
    if (project === undefined || !user.projects.has(project.id)) throw unauthorized();
    return project;
  }

  #newId(): string {
    return randomUuid(this.#random).replaceAll('-', '');
  }
}

function unauthorized(): Refusal {
  return new Refusal(401, 'Unauthorized', UNAUTHORIZED);
}

function isDomain(domain: Json | undefined): boolean {
  return valueAt(domain, 'id') === DOMAIN.id || valueAt(domain, 'name') === DOMAIN.name;
}

function bodyOf({ user, project, methods, issuedAt, expiresAt }: Token, catalog: Json | undefined): JsonObject {
  return {
    methods,
    user: { domain: DOMAIN, id: user.id, name: user.name, password_expires_at: null },
    issued_at: timeText(issuedAt),
    expires_at: timeText(expiresAt),
    ...(project === undefined ? {} : { project: { domain: DOMAIN, ...project }, is_domain: false }),
    ...(catalog === undefined ? {} : { catalog }),
  };
}

/** Keystone has microseconds, and leaves them at 0. */
function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}.000000Z`;
}
