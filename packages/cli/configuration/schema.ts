import type { Part } from '@fairlead/part';
import { z } from 'zod';

/** `HOST:PORT` or `:PORT`. */
function isListenAddress(text: string): boolean {
  const port = /^(?:\[[0-9a-fA-F:]+\]|[^:\s]*):(\d{1,5})$/.exec(text)?.[1];
  return port !== undefined && Number(port) <= 65_535;
}

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
      .refine(isListenAddress, 'must be HOST:PORT, such as 127.0.0.1:8080')
      .default('127.0.0.1:8080')
      .describe('Where health, metrics and the journal are served.'),
    journal: z
      .enum(['token', 'loopback', 'open'])
      .optional()
      .describe(
        'Who may read the journal, which why asks: who shows a token that the API server lets read the object, processes of the same machine, or all. Unset: loopback where listen is, token elsewhere.',
      ),
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
      .min(15, 'must be at least 15: a leader writes to a cloud only what its Lease outlives')
      .max(3600)
      .default(15)
      .describe(
        'How long the other replicas wait for a leader that fell silent; a part whose calls may take longer makes it longer.',
      ),
  })
  .prefault({});

function missingParts(input: unknown, parts: readonly Part[]): string | undefined {
  if (input !== undefined) return undefined;
  return `is missing: name at least one part: ${parts.map((part) => part.name).join(', ')}`;
}

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
    parts: z
      .strictObject(sections, { error: (issue) => missingParts(issue.input, parts) })
      .refine((value) => Object.values(value).some((section) => section !== undefined), {
        message: `needs at least one part: ${parts.map((part) => part.name).join(', ')}`,
      }),
  });
}

/** What every part goes by where no file says otherwise. */
export const defaults = z.strictObject({ kubernetes, http, leaderElection }).parse({});

export type Configuration = z.infer<ReturnType<typeof configurationSchema>>;
