/** No header makes a caller wait longer than this: after an hour it is worth asking again, whatever it is. */
const LONGEST_RETRY_AFTER_MILLISECONDS = 3_600_000;

/** The three ways in which HTTP writes a date; the second and third are obsolete but still to be read. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** Many times what a few dates need. */
const LONGEST_HEADER = 1_000;

/** A header that came more than once, as when a proxy adds its own. The comma after the day of a date is not meant. */
const BETWEEN_VALUES = /,(?!\s*\d{2}[ -][A-Z])/;

/**
 * How long a Retry-After header asks to wait, from `now` (wall time) on: the longest if it is repeated. Undefined when
 * it is absent or says nothing that can be understood; 0 when the date it names has passed. At most `longest`.
 */
export function parseRetryAfter(
  header: string | undefined,
  now: number,
  longest = LONGEST_RETRY_AFTER_MILLISECONDS,
): number | undefined {
  const values = (header ?? '').slice(0, LONGEST_HEADER).split(BETWEEN_VALUES);
  const delays = values.flatMap((value) => parseValue(value.trim(), now) ?? []);
  return delays.length === 0 ? undefined : Math.min(Math.max(0, ...delays), longest);
}

function parseValue(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = parseHttpDate(text);
  return date === undefined ? undefined : date - now;
}

function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATES.some((pattern) => pattern.test(text))) return undefined;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : date;
}
