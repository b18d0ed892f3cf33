import { type Random, randomInteger } from '@fairlead/control';

/** Milliseconds, drawn evenly from these bounds. */
export interface Span {
  readonly minimum: number;
  readonly maximum: number;
}

export const NO_TIME: Span = { minimum: 0, maximum: 0 };

/** Draws nothing from an empty span, so that a world without latencies needs no randomness. */
export function drawSpan(span: Span, random: Random): number {
  return span.minimum === span.maximum ? span.minimum : randomInteger(random, span.minimum, span.maximum);
}
