import fc from 'fast-check';
import type { Json, JsonObject } from '../../json.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd');
const leaf: fc.Arbitrary<Json> = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.constantFrom('', 'x', 'y'));

const tied = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
}));

/** Any JSON, with few names, so that two values often have some in common. */
export const anyJson: fc.Arbitrary<Json> = tied.value;

/** Any JSON object. */
export const anyObject: fc.Arbitrary<JsonObject> = tied.object;
