import { type Finding, well, wrong } from './finding.ts';

/** Tokens and certificates of clouds allow five minutes at most, and Leases are told apart by seconds in messages. */
const LARGEST_SKEW_MILLISECONDS = 60_000;

/** Our clock beside that of the API server, as the Date header of an answer tells it to the second. */
export function clockFinding(date: string | undefined, now: number): Finding {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return well('clock', 'the API server does not tell its time');
  const seconds = Math.round((now - theirs) / 1000);
  if (Math.abs(now - theirs) <= LARGEST_SKEW_MILLISECONDS) return well('clock', 'agrees with that of the API server');
  const how = seconds > 0 ? 'ahead of' : 'behind';
  const text = `is ${Math.abs(seconds)} s ${how} that of the API server: have both follow a time server`;
  return wrong('clock', text);
}
