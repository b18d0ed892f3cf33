import { z } from 'zod';
import { type Generation, type VirtualServer, virtualServer } from '../../protocol/configuration.ts';

const list = <Item extends z.ZodType>(item: Item) => z.array(item).nullish();

const configuration = z.strictObject({
  ingress: list(
    z.strictObject({
      address: z.string(),
      ports: list(
        z.strictObject({
          protocol: z.enum(['TCP', 'UDP']),
          'inbound-port': z.number(),
          'destination-addresses': list(z.string()),
          'destination-port': z.number(),
          // How the backend is chosen: we have one way.
          policy: z.string().optional(),
        }),
      ),
    }),
  ),
  'network-policies': list(z.unknown()),
  'policy-assignments': list(z.unknown()),
});

export type Translation =
  | { readonly kind: 'translated'; readonly virtualServers: readonly VirtualServer[] }
  | { readonly kind: 'refused'; readonly message: string };

/** What the controller of ch-k8s-lbaas sends, in our shape. What cannot be honoured is refused, all of it. */
export function translate(document: unknown): Translation {
  const read = configuration.safeParse(document);
  if (!read.success)
    return refused(`not understood: ${read.error.issues[0]?.message} at ${read.error.issues[0]?.path.join('.')}`);
  const { ingress, 'network-policies': policies, 'policy-assignments': assignments } = read.data;
  if ((policies ?? []).length + (assignments ?? []).length > 0) {
    return refused('network policies cannot be honoured here: switch them off in the controller, or use source ranges');
  }
  const wanted = (ingress ?? []).flatMap(({ address, ports }) =>
    (ports ?? []).map((port) => ({
      address,
      protocol: port.protocol,
      port: port['inbound-port'],
      service: 'ch-k8s-lbaas',
      backends: (port['destination-addresses'] ?? []).map((backend) => ({
        address: backend,
        port: port['destination-port'],
      })),
      preservesClientAddress: false,
    })),
  );
  const checked = z.array(virtualServer).safeParse(wanted);
  if (checked.success) return { kind: 'translated', virtualServers: checked.data };
  const [issue] = checked.error.issues;
  return refused(`${issue?.path.join('.')}: ${issue?.message}`);
}

/**
 * Its configurations have no generation; their tokens' ends rise, though, so that one that was recorded is not taken
 * again after a newer one. Those of one second come in the order in which they arrive.
 */
export function generationOf(expires: number, taken: Generation | undefined): Generation {
  const first = Math.floor(expires) * 1_000;
  const last = taken?.epoch === 0 ? taken.number : 0;
  return { epoch: 0, number: last >= first && last < first + 999 ? last + 1 : first };
}

function refused(message: string): Translation {
  return { kind: 'refused', message };
}
