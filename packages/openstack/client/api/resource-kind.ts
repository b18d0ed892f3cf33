import { z } from 'zod';
import type { ResourceKind } from './resource-api.ts';

/** Absent, or null, where the service knows nothing. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** Absent where the cloud is too old for them. */
export const tags = z.array(z.string()).default([]);

/** A kind of resource at a path, with what bodies and lists of it are wrapped in. */
export const resourceKind = <Body extends { readonly id: string }>(
  path: string,
  singular: string,
  plural: string,
  shape: z.ZodType<Body>,
): ResourceKind<Body> => ({ path, singular, plural, shape });
