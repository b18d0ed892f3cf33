import { CLUSTER, fieldText } from './site.ts';

/** The UID of the Service for which it was made, where it carries our mark: in its tags, or where it has none, its description. */
export function ownerByMark(one: Readonly<Record<string, unknown>>): string | undefined {
  const marks = `${fieldText(one, 'description')} ${JSON.stringify(one['tags'])}`;
  return marks.includes(`fairlead-cluster=${CLUSTER}`) ? /fairlead-service=([\w-]+)/.exec(marks)?.[1] : undefined;
}
