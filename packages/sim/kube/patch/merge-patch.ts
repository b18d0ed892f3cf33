import { fieldOf, isJsonObject, type Json, type JsonDraft, respell, setField } from '../../json.ts';

/** Applies a JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: JsonDraft = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else setField(result, name, mergePatch(fieldOf(result, name), value));
    respell(result, name, patch, name);
  }
  return result;
}
