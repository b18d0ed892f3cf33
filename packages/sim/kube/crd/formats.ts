import { isIPv4, isIPv6 } from 'node:net';

type Check = (value: string) => boolean;

function matches(pattern: RegExp): Check {
  return (value) => pattern.test(value);
}

function isDate(value: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}

function isDateTime(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/.test(value)) return false;
  return !Number.isNaN(Date.parse(value.replace(' ', 'T')));
}

function isCidr(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/');
  if (rest.length > 0 || !/^\d+$/.test(bits)) return false;
  if (isIPv4(address)) return Number(bits) <= 32;
  return isIPv6(address) && Number(bits) <= 128;
}

const UUID = '[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}';

/** The formats that are checked; any other is taken as a remark. */
const CHECKS = new Map<string, Check>([
  ['date', isDate],
  ['date-time', isDateTime],
  ['datetime', isDateTime],
  ['duration', matches(/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d|w)\s*)+$/)],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['uri', (value) => URL.canParse(value) || value.startsWith('/')],
  ['email', matches(/^[^@\s]+@[^@\s]+$/)],
  [
    'hostname',
    matches(/^[a-zA-Z0-9_]([-a-zA-Z0-9_]{0,62}[a-zA-Z0-9_])?(\.[a-zA-Z0-9_]([-a-zA-Z0-9_]{0,62}[a-zA-Z0-9_])?)*\.?$/),
  ],
  ['mac', matches(/^(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$|^(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/)],
  ['uuid', matches(new RegExp(`^${UUID}$`, 'i'))],
  ['uuid4', matches(new RegExp(`^${UUID}$`, 'i'))],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)],
  ['hexcolor', matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
]);

export function fitsFormat(format: string, value: string): boolean {
  return CHECKS.get(format)?.(value) ?? true;
}
