import type { HttpRequest } from '@fairlead/control';
import { isJsonObject, type JsonObject, listOf, objectOf, textOf } from '../../../json.ts';
import { badRequest, invalid, methodNotAllowed } from '../../failure.ts';
import { secondsText } from '../../schema/formats.ts';
import type { AccessOptions, AccessQuestion, User } from '../../server/access/access.ts';
import { type Answer, jsonAnswer } from '../../server/answer.ts';
import { parseBody } from '../../server/body.ts';
import { invalidValue } from '../../validation/field-problem.ts';

const AUTHORIZATION = 'authorization.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';
const KINDS: ReadonlyMap<string, string> = new Map([
  [`${AUTHENTICATION}/v1/selfsubjectreviews`, 'SelfSubjectReview'],
  [`${AUTHORIZATION}/v1/selfsubjectaccessreviews`, 'SelfSubjectAccessReview'],
  [`${AUTHORIZATION}/v1/subjectaccessreviews`, 'SubjectAccessReview'],
]);

interface ReviewContext extends AccessOptions {
  readonly now: number;
}

/** Tells a user who they are, or whether they or others may do something. Undefined for another path. */
export function answerReview(
  request: HttpRequest,
  segments: readonly string[],
  user: User,
  context: ReviewContext,
): Answer | undefined {
  const [root, ...rest] = segments;
  const path = rest.join('/');
  const kind = root === 'apis' ? KINDS.get(path) : undefined;
  if (kind === undefined) return undefined;
  if (request.method !== 'POST') throw methodNotAllowed();
  const body = bodyOf(request);
  const apiVersion = path.slice(0, path.lastIndexOf('/'));
  const spec = objectOf(body.spec);
  const review = { kind, apiVersion, metadata: objectOf(body.metadata) };
  if (kind === 'SelfSubjectReview') {
    const metadata = { creationTimestamp: secondsText(context.now) };
    const userInfo = { username: user.name, groups: user.groups };
    return jsonAnswer(201, JSON.stringify({ ...review, metadata, status: { userInfo } }));
  }
  const subject = kind === 'SubjectAccessReview' ? subjectOf(spec) : user;
  const allowed = isAllowed(spec, subject, context);
  return jsonAnswer(201, JSON.stringify({ ...review, spec, status: { allowed } }));
}

function bodyOf(request: HttpRequest): JsonObject {
  const parsed = parseBody(request);
  if ('problem' in parsed) throw badRequest(parsed.problem);
  if (!isJsonObject(parsed.value)) throw badRequest('the body of the request is no object');
  return parsed.value;
}

function subjectOf({ user, groups }: JsonObject): User {
  return { name: textOf(user), groups: listOf(groups).map(textOf) };
}

/** Paths without objects are open to every user. */
function isAllowed(spec: JsonObject, user: User, { authorize }: AccessOptions): boolean {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if ((resourceAttributes === undefined) === (nonResourceAttributes === undefined)) {
    const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    throw invalid(AUTHORIZATION, '', '', [invalidValue('spec.resourceAttributes', null, rule)]);
  }
  if (authorize === undefined || resourceAttributes === undefined) return true;
  return authorize(questionOf(objectOf(resourceAttributes), user));
}

function questionOf(attributes: JsonObject, user: User): AccessQuestion {
  const field = (name: string): string => textOf(attributes[name]);
  return {
    user,
    verb: field('verb'),
    group: field('group'),
    resource: field('resource'),
    subresource: field('subresource'),
    namespace: field('namespace'),
    name: field('name'),
  };
}
