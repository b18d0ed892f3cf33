import type { Json } from '../../../json.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** How long ago a time was, as tables tell it. */
export function ageOf(time: Json | undefined, now: number): string {
  if (typeof time !== 'string' || time === '') return '<unknown>';
  return humanDuration(now - Date.parse(time));
}

/** A duration with two or three significant figures. */
export function humanDuration(milliseconds: number): string {
  if (milliseconds <= -2 * SECOND) return '<invalid>';
  if (milliseconds < 0) return '0s';
  if (milliseconds < 2 * MINUTE) return whole(milliseconds, SECOND, 's');
  if (milliseconds < 10 * MINUTE) return whole(milliseconds, MINUTE, 'm') + rest(milliseconds, MINUTE, SECOND, 's');
  if (milliseconds < 3 * HOUR) return whole(milliseconds, MINUTE, 'm');
  if (milliseconds < 8 * HOUR) return whole(milliseconds, HOUR, 'h') + rest(milliseconds, HOUR, MINUTE, 'm');
  if (milliseconds < 2 * DAY) return whole(milliseconds, HOUR, 'h');
  if (milliseconds < 8 * DAY) return whole(milliseconds, DAY, 'd') + rest(milliseconds, DAY, HOUR, 'h');
  if (milliseconds < 2 * YEAR) return whole(milliseconds, DAY, 'd');
  if (milliseconds < 8 * YEAR) return whole(milliseconds, YEAR, 'y') + rest(milliseconds, YEAR, DAY, 'd');
  return whole(milliseconds, YEAR, 'y');
}

function whole(milliseconds: number, unit: number, symbol: string): string {
  return `${Math.floor(milliseconds / unit)}${symbol}`;
}

/** What is left below the larger unit; nothing when that is zero. */
function rest(milliseconds: number, larger: number, unit: number, symbol: string): string {
  const left = milliseconds % larger;
  return left < unit ? '' : whole(left, unit, symbol);
}
