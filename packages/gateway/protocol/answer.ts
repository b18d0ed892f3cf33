import { z } from 'zod';
import { frontend, generation, virtualServer } from './configuration.ts';

/** Something that went wrong at one frontend, grouped so that it ends on the Services concerned. */
const frontendError = z.strictObject({
  frontend,
  code: z.string(),
  message: z.string(),
  /** What the agent has there, for a leader that did not send it: so that it can be left there. */
  current: virtualServer.optional(),
});
export type FrontendError = z.infer<typeof frontendError>;

/** Why a configuration was not taken. Nothing of it was applied then: the node runs what it ran before. */
const refusedAnswer = z.object({
  kind: z.literal('refused'),
  /**
   * Stable: `invalid`, `not-allowed` (an address outside the agent's list), `older-generation`, `unknown-generation` (a
   * delta since something the agent does not have: send the whole), `busy`, `apply-failed`, `too-large`.
   */
  code: z.string(),
  message: z.string(),
  /** The frontends at fault, where it is some of them. */
  errors: z.array(frontendError),
  /** What the agent took last. */
  generation: generation.optional(),
});

const takenAnswer = z.object({ kind: z.literal('taken'), generation });

/** The answer to `PUT /v1/config`. */
export const configurationAnswer = z.discriminatedUnion('kind', [takenAnswer, refusedAnswer]);
export type ConfigurationAnswer = z.infer<typeof configurationAnswer>;

/** The answer to `PUT /v1/leader`: the highest epoch that the agent heard of, which is that of another leader if higher. */
export const leaderAnswer = z.object({ epoch: z.int().min(0) });
export type LeaderAnswer = z.infer<typeof leaderAnswer>;

/** The answer to `GET /v1/status`. */
export const agentStatus = z.object({
  /** What the agent took last; absent when it never took anything. */
  generation: generation.optional(),
  /** Of the virtual servers it took, so that a controller can tell whether they are what it would send. */
  digest: z.string().optional(),
  /** The highest epoch of a leader that the agent heard of; an older one is not listened to. */
  epoch: z.int().min(0).optional(),
  /** Whether the kernel and keepalived are as the generation has them. */
  programmed: z.boolean(),
  /** Why not, for a person. */
  problem: z.string().optional(),
  /** The addresses this gateway answers for at the moment. */
  heldAddresses: z.array(z.string()),
});
export type AgentStatus = z.infer<typeof agentStatus>;
