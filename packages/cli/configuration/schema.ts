import type { Part } from '@fairlead/part';
import { z } from 'zod';

const kubernetes = z
  .strictObject({
    kubeconfig: z
      .string()
      .optional()
      .describe('Path of a kubeconfig file. Unset: the Pod’s own account, or KUBECONFIG.'),
    context: z.string().optional().describe('Context of the kubeconfig. Unset: its current context.'),
  })
  .prefault({});

const http = z
  .strictObject({
    listen: z
      .string()
      .regex(/^(\[[0-9a-fA-F:]+\]|[^:\s]*):\d{1,5}$/, 'must be HOST:PORT, such as 127.0.0.1:8080')
      .default('127.0.0.1:8080')
      .describe('Where health, metrics and the journal are served.'),
  })
  .prefault({});

const log = z
  .strictObject({
    level: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('The least important line to print.'),
  })
  .prefault({});

const leaderElection = z
  .strictObject({
    namespace: z.string().min(1).default('fairlead-system').describe('Namespace of the Leases, one for each part.'),
    leaseDurationSeconds: z
      .int()
      .min(10)
      .default(15)
      .describe('How long the other replicas wait for a leader that fell silent.'),
  })
  .prefault({});

/** The shape of the configuration file, with a section for each part that is built in. */
export function configurationSchema(parts: readonly Part[]) {
  const sections = Object.fromEntries(parts.map((part) => [part.name, part.schema.optional().describe(part.summary)]));
  const classes = parts.flatMap((part) => part.loadBalancerClass ?? []);
  return z.strictObject({
    kubernetes,
    http,
    log,
    leaderElection,
    defaultClass: z
      .enum(classes)
      .optional()
      .describe('The load balancer class of Services that name none. Unset: those are left alone.'),
    parts: z.strictObject(sections).refine((value) => Object.values(value).some((section) => section !== undefined), {
      message: `needs at least one part: ${parts.map((part) => part.name).join(', ')}`,
    }),
  });
}

export type Configuration = z.infer<ReturnType<typeof configurationSchema>>;
