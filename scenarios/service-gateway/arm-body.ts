import type { ManualCall } from '@fairlead/sim/azure';

/** A body as the emulated Azure has it. */
export type ArmBody = NonNullable<ManualCall['body']>;
type Value = ArmBody[string] | undefined;

/** The object at this place, or an empty one in place of anything else. */
export function objectAt(value: Value, ...names: readonly string[]): ArmBody {
  let current = value;
  for (const name of names) current = isObject(current) ? current[name] : undefined;
  return isObject(current) ? current : {};
}

export function listAt(body: ArmBody, name: string): readonly ArmBody[] {
  const list = body[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export function textAt(body: ArmBody, name: string): string {
  const text = body[name];
  return typeof text === 'string' ? text : '';
}

function isObject(value: Value): value is ArmBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
