import { isRecord } from '@fairlead/control';
import type { Access, CallOptions, KubeClient } from './client.ts';

/** A user, as the API server knows it. */
export interface Identity {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** What is to be done to one object, or to a path of no object. */
export type AccessAttributes = (Access & { readonly name?: string }) | { readonly verb: string; readonly path: string };

type Reviewer = Pick<KubeClient, 'postJson'>;

/** Whether we may do this, as the server sees it. A server that cannot be asked forbids nothing. */
export async function may(client: Reviewer, attributes: AccessAttributes, options?: CallOptions): Promise<boolean> {
  const status = await review(client, 'SelfSubjectAccessReview', spec(attributes), options);
  return status === undefined || status['allowed'] === true;
}

/** Whether this user may. A server that cannot be asked allows nothing. */
export async function mayUser(
  client: Reviewer,
  { name, uid, groups, extra }: Identity,
  attributes: AccessAttributes,
  options?: CallOptions,
): Promise<boolean> {
  const status = await review(
    client,
    'SubjectAccessReview',
    { user: name, uid, groups, extra, ...spec(attributes) },
    options,
  );
  return status?.['allowed'] === true;
}

/** Whose token this is; undefined when the server does not know it. */
export async function identify(client: Reviewer, token: string, options?: CallOptions): Promise<Identity | undefined> {
  const status = await review(client, 'TokenReview', { token }, options);
  const user = status?.['user'];
  if (status?.['authenticated'] !== true || !isRecord(user)) return undefined;
  const { username: name, uid, groups = [], extra } = user;
  if (typeof name !== 'string' || name === '' || !Array.isArray(groups)) return undefined;
  return {
    name,
    groups: groups.filter((group) => typeof group === 'string'),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(isRecord(extra) ? { extra } : {}),
  };
}

/** A token of a service account, for so long, where we may ask for one; undefined where there is no such account. */
export async function requestToken(
  client: Reviewer,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  expirationSeconds: number,
  options?: CallOptions,
): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const token = statusIn(await client.postJson(path, body, options))?.['token'];
  return typeof token === 'string' ? token : undefined;
}

/** The name by which the server knows us; undefined when it does not tell. */
export async function whoAmI(client: Reviewer, options?: CallOptions): Promise<string | undefined> {
  const user = (await review(client, 'SelfSubjectReview', undefined, options))?.['userInfo'];
  const name = isRecord(user) ? user['username'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function spec(attributes: AccessAttributes): object {
  if ('path' in attributes) return { nonResourceAttributes: attributes };
  const { verb, group, resource, subresource, namespace, name } = attributes;
  return { resourceAttributes: { verb, group, resource, subresource, namespace, name } };
}

async function review(
  client: Reviewer,
  kind: 'SelfSubjectAccessReview' | 'SubjectAccessReview' | 'TokenReview' | 'SelfSubjectReview',
  asked: object | undefined,
  options: CallOptions | undefined,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const group = kind.includes('Access') ? 'authorization.k8s.io' : 'authentication.k8s.io';
  const body = { apiVersion: `${group}/v1`, kind, spec: asked };
  const answer = await client.postJson(`/apis/${group}/v1/${kind.toLowerCase()}s`, body, options);
  return answer === undefined ? undefined : (statusIn(answer) ?? {});
}

function statusIn(answer: unknown): Readonly<Record<string, unknown>> | undefined {
  const status = isRecord(answer) ? answer['status'] : undefined;
  return isRecord(status) ? status : undefined;
}
