import { equalJson, type JsonObject, listOf, textOf } from '../../json.ts';
import { internalError, noSuchPath, Refusal } from '../refusal.ts';
import type { Kind } from './store.ts';
import { idOf, type NeutronWorld } from './world.ts';

const LONGEST_TAG = 255;

/** What became of a request about tags: status and body. */
export interface TagAnswer {
  readonly status: number;
  readonly body: JsonObject | null | undefined;
}

/** `/ports/ID/tags` and `/ports/ID/tags/TAG`. */
export function answerTags(
  world: NeutronWorld,
  kind: Kind,
  object: JsonObject | undefined,
  request: { readonly method: string; readonly tag: string | undefined; readonly body: JsonObject | undefined },
): TagAnswer {
  // This release fails where it should say that there is no such object.
  if (object === undefined) throw internalError();
  const tags = listOf(object['tags']).map(textOf);
  const write = (next: readonly string[]) => {
    const sorted = next.toSorted();
    world.store.change(kind, idOf(object), { tags: sorted }, !equalJson(sorted, tags));
  };
  const { method, tag } = request;
  if (tag === undefined) {
    if (method === 'GET') return { status: 200, body: { tags } };
    if (method !== 'PUT') throw noSuchPath();
    const wanted = tagsIn(request.body);
    write(wanted);
    return { status: 200, body: { tags: wanted } };
  }
  if (method === 'PUT') {
    if (!tags.includes(tag)) write([...tags, tag]);
    return { status: 201, body: null };
  }
  if (!tags.includes(tag)) throw new Refusal(404, 'TagNotFound', `Tag ${tag} could not be found.`);
  if (method !== 'DELETE') return { status: 204, body: undefined };
  write(tags.filter((one) => one !== tag));
  return { status: 204, body: undefined };
}

function tagsIn(body: JsonObject | undefined): readonly string[] {
  if (!Array.isArray(body?.['tags'])) throw invalidInput('Invalid tags body.');
  const tags = listOf(body['tags']).map(textOf);
  const long = tags.find((tag) => tag.length > LONGEST_TAG);
  if (long !== undefined) throw invalidInput(`'${long}' exceeds maximum length of ${LONGEST_TAG}.`);
  const double = tags.find((tag, index) => tags.indexOf(tag) !== index);
  if (double !== undefined) throw invalidInput(`Duplicate items in the list: '${double}'.`);
  return tags;
}

function invalidInput(message: string): Refusal {
  return new Refusal(400, 'InvalidInput', `Invalid input for operation: ${message}`);
}
