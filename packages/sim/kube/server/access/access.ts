import type { HttpRequest } from '@fairlead/control';
import { forbidden, unauthorized } from '../../failure.ts';
import type { Route } from '../route.ts';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** What a user wants to do. */
export interface AccessQuestion {
  readonly user: User;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for kinds without a namespace and across all of them. */
  readonly namespace: string;
  readonly name: string;
}

export type Authorize = (question: AccessQuestion) => boolean;

export interface AccessOptions {
  /** Bearer tokens and whose they are. Without any, every client is an administrator. */
  readonly tokens?: ReadonlyMap<string, User>;
  /** Everything is allowed unless this says no. */
  readonly authorize?: Authorize;
}

const ADMINISTRATOR: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Who sends the request, or whom an administrator plays. Throws for a token that belongs to no user. */
export function authenticate(request: HttpRequest, options: AccessOptions): User {
  const user = bearer(request, options);
  const name = request.headers['impersonate-user'];
  if (name === undefined || !user.groups.includes('system:masters')) return user;
  const groups = (request.headers['impersonate-group'] ?? '').split(',').filter((group) => group !== '');
  return { name, groups: [...groups, 'system:authenticated'] };
}

function bearer({ headers }: HttpRequest, { tokens }: AccessOptions): User {
  if (tokens === undefined) return ADMINISTRATOR;
  const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) return ANONYMOUS;
  const user = tokens.get(token);
  if (user === undefined) throw unauthorized();
  return user;
}

/** Throws when the user may not do this. */
export function checkAccess(user: User, route: Route, verb: string, { authorize }: AccessOptions): void {
  const { kind, namespace = '', subresource } = route;
  const { group, plural } = kind;
  const name = route.name === '' ? selectedName(route) : route.name;
  const question = { user, verb, group, resource: plural, subresource, namespace, name };
  if (authorize === undefined || authorize(question)) return;
  const resource = subresource === '' ? plural : `${plural}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const why = `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${group}" ${scope}`;
  throw forbidden({ group, resource: plural }, name, why);
}

/** A request for one object by a selector is treated as one by its name. */
function selectedName({ query }: Route): string {
  return /^metadata\.name==?([^,=!]+)$/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';
}
