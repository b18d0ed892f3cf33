/** A scalar in the one way the API writes it, or why it is not one. */
export type Formatted = { readonly value: string } | { readonly problem: string };

const SECONDS_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICROSECONDS_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const DATE_AND_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const ZONE = /^(Z|[+-]\d\d:\d\d)/;

/** A point in time to the second, in UTC. */
export function formatTime(text: string): Formatted {
  const start = DATE_AND_TIME.exec(text)?.[0];
  if (start === undefined) return unparsableTime(text, SECONDS_LAYOUT, text, '2006');
  const fraction = /^\.\d+/.exec(text.slice(start.length))?.[0] ?? '';
  const rest = text.slice(start.length + fraction.length);
  const zone = ZONE.exec(rest)?.[0];
  if (zone === undefined) return unparsableTime(text, SECONDS_LAYOUT, rest, 'Z07:00');
  if (rest !== zone) return { problem: `parsing time ${quote(text)}: extra text: ${quote(rest.slice(zone.length))}` };
  const milliseconds = Date.parse(start + zone);
  if (Number.isNaN(milliseconds)) return unparsableTime(text, SECONDS_LAYOUT, text, '2006');
  return { value: secondsText(milliseconds) };
}

/** A point in time to the microsecond, in UTC. Exactly six digits are accepted. */
export function formatMicroTime(text: string): Formatted {
  const start = DATE_AND_TIME.exec(text)?.[0];
  if (start === undefined) return unparsableTime(text, MICROSECONDS_LAYOUT, text, '2006');
  const fraction = /^\.\d{6}/.exec(text.slice(start.length))?.[0];
  if (fraction === undefined) return unparsableTime(text, MICROSECONDS_LAYOUT, text.slice(start.length), '.000000');
  const rest = text.slice(start.length + fraction.length);
  const zone = ZONE.exec(rest)?.[0];
  if (zone === undefined || rest !== zone) return unparsableTime(text, MICROSECONDS_LAYOUT, rest, 'Z07:00');
  const milliseconds = Date.parse(start + zone);
  if (Number.isNaN(milliseconds)) return unparsableTime(text, MICROSECONDS_LAYOUT, text, '2006');
  return { value: `${secondsText(milliseconds).slice(0, -1)}${fraction}Z` };
}

let latest = { second: Number.NaN, text: '' };

/** How the API writes a point in time. Mostly the same one as the last time, which is worth remembering. */
export function secondsText(millisecondsSinceEpoch: number): string {
  const second = Math.floor(millisecondsSinceEpoch / 1000);
  if (second !== latest.second) {
    latest = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return latest.text;
}

function unparsableTime(text: string, layout: string, at: string, expected: string): Formatted {
  return {
    problem: `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(at)} as ${quote(expected)}`,
  };
}

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d+)?$/;
const NOT_A_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL_SUFFIXES = new Map([
  [-9, 'n'],
  [-6, 'u'],
  [-3, 'm'],
  [0, ''],
  [3, 'k'],
  [6, 'M'],
  [9, 'G'],
  [12, 'T'],
  [15, 'P'],
  [18, 'E'],
]);
const DECIMAL_EXPONENTS = new Map([...DECIMAL_SUFFIXES].map(([exponent, suffix]) => [suffix, exponent]));

/** An amount of a resource, with the largest suffix that leaves no fraction: `1024Mi` is `1Gi`, `0.5` is `500m`. */
export function formatQuantity(text: string): Formatted {
  const match = QUANTITY.exec(text);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match ?? [];
  if (match === null || whole + fraction === '') return { problem: NOT_A_QUANTITY };
  const digits = BigInt(`${whole}${fraction}`);
  const binaryPower = suffix === '' ? -1 : BINARY_SUFFIXES.indexOf(suffix);
  if (binaryPower > 0) return { value: signed(sign, binaryText(digits, fraction.length, binaryPower)) };
  const scientific = /^[eE](.*)$/.exec(suffix)?.[1];
  const exponent = scientific === undefined ? (DECIMAL_EXPONENTS.get(suffix) ?? 0) : Number(scientific);
  return { value: signed(sign, decimalText(digits, exponent - fraction.length, scientific !== undefined)) };
}

function signed(sign: string, amount: string): string {
  return sign === '-' && amount !== '0' ? `-${amount}` : amount;
}

function binaryText(digits: bigint, fractionDigits: number, power: number): string {
  const scale = 10n ** BigInt(fractionDigits);
  const bytes = digits * 1024n ** BigInt(power);
  if (bytes % scale !== 0n) return decimalText((bytes * 1000n + scale - 1n) / scale, -3, false);
  let amount = bytes / scale;
  if (amount < 1024n) return decimalText(amount, 0, false);
  let steps = 0;
  while (amount % 1024n === 0n && steps < BINARY_SUFFIXES.length - 1) {
    amount /= 1024n;
    steps += 1;
  }
  return `${amount}${BINARY_SUFFIXES[steps]}`;
}

function decimalText(digits: bigint, exponent: number, scientific: boolean): string {
  if (digits === 0n) return '0';
  let amount = digits;
  let power = exponent;
  while (amount % 10n === 0n) {
    amount /= 10n;
    power += 1;
  }
  while (power % 3 !== 0) {
    amount *= 10n;
    power -= 1;
  }
  while (power < -9) {
    amount = (amount + 999n) / 1000n;
    power += 3;
  }
  while (power > 18) {
    amount *= 1000n;
    power -= 3;
  }
  if (scientific) return power === 0 ? `${amount}` : `${amount}e${power}`;
  return `${amount}${DECIMAL_SUFFIXES.get(power) ?? ''}`;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Base64 without line breaks. */
export function formatBytes(text: string): Formatted {
  const compact = text.replaceAll(/[\r\n]/g, '');
  if (BASE64.test(compact)) return { value: compact };
  const wrong = compact.search(/[^A-Za-z0-9+/]/);
  return { problem: `illegal base64 data at input byte ${wrong < 0 ? compact.length - (compact.length % 4) : wrong}` };
}

/** Control characters that Go spells by a letter, and JSON does not. */
const BELL_AND_TAB = new Map([
  ['07', '\\a'],
  ['0b', '\\v'],
]);

/** As Go writes a string in a message. */
export function quote(text: string): string {
  return JSON.stringify(text)
    .replaceAll(/\\u00([01][0-9a-f])/g, (_, code: string) => BELL_AND_TAB.get(code) ?? `\\x${code}`)
    .replaceAll('\u007F', '\\x7f')
    .replaceAll(
      /[\u0080-\u009F\u2028\u2029\uFEFF]/g,
      (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    );
}
