/** A field of something that came as JSON; undefined when there is none. */
export function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A text field that must be there. */
export function readText(value: unknown, name: string): string {
  const found = readField(value, name);
  if (typeof found !== 'string') throw new TypeError(`${name} is missing in ${JSON.stringify(value)}`);
  return found;
}
