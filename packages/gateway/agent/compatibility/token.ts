import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

const header = z.object({ alg: z.string() });
const claims = z.object({ exp: z.number(), 'load-balancer-config': z.unknown() });

/** A token that lives longer than that is one that its maker did not think about. */
const LONGEST_SECONDS = 3_600;

/** What a token says, or why it is not believed. */
export type ReadToken =
  | { readonly kind: 'believed'; readonly expires: number; readonly configuration: unknown }
  | { readonly kind: 'refused'; readonly message: string };

/** Reads a JWT as the controller of ch-k8s-lbaas signs it: HMAC with SHA-256 over a secret that both have. */
export function readToken(text: string, secret: Buffer, nowMilliseconds: number): ReadToken {
  const [head = '', body = '', signature = '', ...more] = text.trim().split('.');
  if (more.length > 0 || signature === '') return refused('this is no signed JWT');
  // The algorithm is ours to choose: a token that names another, or none, is not looked at.
  if (header.safeParse(json(head)).data?.alg !== 'HS256') return refused('only HS256 is accepted');
  const expected = createHmac('sha256', secret).update(`${head}.${body}`).digest();
  const shown = Buffer.from(signature, 'base64url');
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) return refused('the signature is wrong');
  const read = claims.safeParse(json(body));
  if (!read.success) return refused('exp and load-balancer-config are needed');
  const left = read.data.exp - nowMilliseconds / 1_000;
  if (left <= 0) return refused('the token has expired');
  if (left > LONGEST_SECONDS) return refused(`a token may be good for ${LONGEST_SECONDS} seconds at most`);
  return { kind: 'believed', expires: read.data.exp, configuration: read.data['load-balancer-config'] };
}

function json(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function refused(message: string): ReadToken {
  return { kind: 'refused', message };
}
