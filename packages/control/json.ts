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
