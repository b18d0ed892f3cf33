import {
  equalJson,
  fieldOf,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonList,
  type JsonObject,
  respell,
  textOf,
  valueAt,
  without,
} from '../../json.ts';
import { goKind } from '../schema/decode.ts';
import { badRequest, RequestFailure } from '../failure.ts';

const MOST_OPERATIONS = 10_000;

/** Applies a JSON patch (RFC 6902), with the liberties the real server takes: replacing what is missing adds it. */
export function jsonPatch(document: Json, patch: Json): Json {
  if (patch === null) return document;
  if (!isJsonList(patch)) {
    const kind = isJsonObject(patch) ? 'object' : typeof patch;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  const stranger = patch.find((operation) => operation !== null && !isJsonObject(operation));
  if (stranger !== undefined) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(stranger)} into Go value of type handlers.jsonPatchOp`,
    );
  }
  for (const field of ['op', 'path', 'from']) {
    const wrong = patch.map((operation) => valueAt(operation, field) ?? '').find((value) => typeof value !== 'string');
    if (wrong === undefined) continue;
    const place = `Go struct field jsonPatchOp.${field} of type string`;
    throw badRequest(`error decoding patch: json: cannot unmarshal ${goKind(wrong)} into ${place}`);
  }
  if (patch.length > MOST_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${patch.length}`;
    throw new RequestFailure({ code: 413, reason: 'RequestEntityTooLarge', message });
  }
  return patch.reduce<Json>(applyOperation, document);
}

/** The patch cannot be applied to this object; the real server does not say why. */
function rejected(): RequestFailure {
  const message = 'the server rejected our request due to an error in our request';
  return new RequestFailure({ code: 422, reason: 'Invalid', message, details: {} });
}

function applyOperation(document: Json, operation: Json): Json {
  if (!isJsonObject(operation)) throw rejected();
  const path = pointer(textOf(operation.path));
  const value = operation.value ?? null;
  switch (textOf(operation.op)) {
    case 'add':
      return change(document, path, spelled(operation, add(value)));
    case 'replace':
      return change(document, path, spelled(operation, replace(value)));
    case 'remove':
      return change(document, path, remove);
    case 'test':
      if (!equalJson(read(document, path) ?? null, value)) throw rejected();
      return document;
    case 'move': {
      const from = pointer(textOf(operation.from));
      const moved = read(document, from) ?? null;
      return change(change(document, from, remove), path, add(moved));
    }
    case 'copy':
      return change(document, path, add(read(document, pointer(textOf(operation.from))) ?? null));
    default:
      throw rejected();
  }
}

type Change = (container: Json, key: string) => Json;

/** With the value spelled as the operation has it. */
function spelled(operation: JsonObject, put: Change): Change {
  return (container, key) => {
    const changed = put(container, key);
    if (isJsonObject(changed)) respell(changed, key, operation, 'value');
    return changed;
  };
}

function add(value: Json): Change {
  return (container, key) => {
    if (isJsonObject(container)) return { ...container, [key]: value };
    const items = listIn(container);
    // From the end of the list as it will be.
    const index = /^-\d+$/.test(key) ? String(Number(key) + items.length + 1) : key;
    return items.toSpliced(index === '-' ? items.length : position(items, index, items.length), 0, value);
  };
}

function replace(value: Json): Change {
  return (container, key) => {
    if (isJsonObject(container)) return { ...container, [key]: value };
    const items = listIn(container);
    return items.with(position(items, key, items.length - 1), value);
  };
}

function remove(container: Json, key: string): Json {
  if (isJsonObject(container)) {
    if (!Object.hasOwn(container, key)) throw rejected();
    return without(container, key);
  }
  const items = listIn(container);
  return items.toSpliced(position(items, key, items.length - 1), 1);
}

function listIn(value: Json): JsonList {
  if (!isJsonList(value)) throw rejected();
  return value;
}

function position(items: JsonList, key: string, limit: number): number {
  if (!/^-?\d+$/.test(key)) throw rejected();
  const index = Number(key) < 0 ? Number(key) + items.length : Number(key);
  if (index < 0 || index > limit) throw rejected();
  return index;
}

function pointer(path: string): readonly string[] {
  if (!path.startsWith('/')) throw rejected();
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function change(document: Json, [key, ...rest]: readonly string[], operation: Change): Json {
  if (key === undefined) throw rejected();
  if (rest.length === 0) return operation(document, key);
  const inner = step(document, key);
  if (inner === undefined) throw rejected();
  return replace(change(inner, rest, operation))(document, key);
}

function step(container: Json, key: string): Json | undefined {
  if (isJsonObject(container)) return fieldOf(container, key);
  if (isJsonList(container)) return container[position(container, key, container.length - 1)];
  return undefined;
}

/** Undefined when only the last part of the path is missing. */
function read(document: Json, [key, ...rest]: readonly string[]): Json | undefined {
  if (key === undefined) throw rejected();
  const inner = step(document, key);
  if (rest.length === 0) return inner;
  if (inner === undefined) throw rejected();
  return read(inner, rest);
}
