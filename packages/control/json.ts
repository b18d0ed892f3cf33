/** An object of JSON: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of these names that are there. */
export function picked<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Partial<Pick<Whole, Name>> {
  const kept: Partial<Pick<Whole, Name>> = {};
  for (const name of names) if (whole[name] !== undefined) kept[name] = whole[name];
  return kept;
}

/** The field of what may be no object at all. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The field, if it is a text that says something. */
export function textFieldOf(value: unknown, name: string): string | undefined {
  const found = fieldOf(value, name);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
