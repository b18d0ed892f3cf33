import type { Service } from '@fairlead/kube';
import { refusal } from '../demands/refusals.ts';
import { ADDRESSES_ANNOTATION } from '../demands/service-demands.ts';
import { SOURCE_RANGES_ANNOTATION } from '../demands/source-ranges.ts';
import type { ClaimRules } from './class-claim.ts';

/** Annotations by which every part reads demands. */
const DEMANDS: ReadonlySet<string> = new Set([ADDRESSES_ANNOTATION, SOURCE_RANGES_ANNOTATION]);

/** More than a thousand source ranges, or a record of a thousand ports; the API server takes eight times as much. */
const MAXIMUM_CHARACTERS = 32_768;

/**
 * The annotations that a part reads, writes or has to refuse. Where there are too many, those that are over the limit by
 * one character: enough to see that they are too many, whatever tenants put there.
 */
export function partAnnotations(
  { metadata }: Service,
  { annotationPrefixes = [] }: ClaimRules,
): Readonly<Record<string, string>> {
  const kept: [string, string][] = [];
  let room = MAXIMUM_CHARACTERS + 1;
  for (const [name, value] of Object.entries(metadata.annotations ?? {})) {
    if (!DEMANDS.has(name) && !annotationPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    if (room <= 0) break;
    const text = value.slice(0, Math.max(0, room - name.length));
    kept.push([name, text]);
    room -= name.length + text.length;
  }
  return Object.fromEntries(kept);
}

/** Refuses a Service with more text in its annotations than is ever read. */
export function requireBoundedAnnotations(service: Service, rules: ClaimRules): void {
  const sizes = Object.entries(partAnnotations(service, rules)).map(([name, value]) => name.length + value.length);
  if (sizes.reduce((sum, size) => sum + size, 0) <= MAXIMUM_CHARACTERS) return;
  const limit = `more than ${MAXIMUM_CHARACTERS} characters, which is the most that is read`;
  throw refusal('annotations-too-long', `its annotations for load balancers have ${limit}`);
}
