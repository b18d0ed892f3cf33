import { FairleadError } from '@fairlead/control';
import type { Service } from '@fairlead/kube';

const PREFIX = 'service.beta.kubernetes.io/azure-';
/** Rules and probes of single ports. */
const PORT_PREFIX = 'service.beta.kubernetes.io/port_';
const IDLE_TIMEOUT = `${PREFIX}load-balancer-tcp-idle-timeout`;
const DEFAULT_IDLE_MINUTES = 4;
const LONGEST_IDLE_MINUTES = 30;

/** What users of Azure's own controller can ask for by annotation, and what this load balancer has no way to do. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  'load-balancer-internal': 'an internal load balancer',
  'load-balancer-internal-subnet': 'an internal load balancer',
  'load-balancer-ipv4': 'an address of its choice',
  'load-balancer-ipv6': 'an address of its choice',
  'pip-name': 'a public IP address that is there already',
  'pip-name-ipv6': 'a public IP address that is there already',
  'pip-prefix-id': 'an address from a prefix',
  'pip-prefix-id-ipv6': 'an address from a prefix',
  'pip-ip-tags': 'IP tags on its address',
  'dns-label-name': 'a DNS label on its address',
  'load-balancer-resource-group': 'an address from another resource group',
  'allowed-service-tags': 'a restriction of its sources',
  'allowed-ip-ranges': 'a restriction of its sources',
  'deny-all-except-load-balancer-source-ranges': 'a restriction of its sources',
  'load-balancer-enable-high-availability-ports': 'all ports at once',
  'pls-create': 'a private link service',
};

/**
 * The first demand by annotation that cannot be honoured, in plain words about «it», the Service. Whatever Azure's own
 * controller would take for a demand is one: none is passed over because it is not known here.
 */
export function unsupportedAnnotation({ metadata }: Service): string | undefined {
  for (const [annotation, text] of Object.entries(metadata.annotations ?? {})) {
    const isDemand = annotation.startsWith(PREFIX) || annotation.startsWith(PORT_PREFIX);
    if (!isDemand || annotation === IDLE_TIMEOUT) continue;
    const value = text.trim().toLowerCase();
    if (value === '' || value === 'false') continue;
    const meaning = UNSUPPORTED[annotation.slice(PREFIX.length)] ?? 'something that this load balancer does not know';
    return `its annotation ${annotation} asks for ${meaning}`;
  }
  return undefined;
}

/** Minutes of silence after which a connection is forgotten. Throws a terminal error for what Azure does not take. */
export function idleTimeoutMinutes(service: Service): number {
  const text = service.metadata.annotations?.[IDLE_TIMEOUT]?.trim() ?? '';
  if (text === '') return DEFAULT_IDLE_MINUTES;
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes >= DEFAULT_IDLE_MINUTES && minutes <= LONGEST_IDLE_MINUTES) return minutes;
  throw new FairleadError(
    `its annotation ${IDLE_TIMEOUT} is ${JSON.stringify(text)}: ` +
      `use ${DEFAULT_IDLE_MINUTES} to ${LONGEST_IDLE_MINUTES} minutes`,
    { verdict: 'terminal', code: 'invalid-idle-timeout' },
  );
}
