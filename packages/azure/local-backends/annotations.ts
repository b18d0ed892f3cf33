import { FairleadError } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { FrontendScope } from './configuration.ts';

const PREFIX = 'service.beta.kubernetes.io/azure-';
/** Rules and probes of single ports. */
const PORT_PREFIX = 'service.beta.kubernetes.io/port_';
const INTERNAL = `${PREFIX}load-balancer-internal`;
const INTERNAL_SUBNET = `${PREFIX}load-balancer-internal-subnet`;
const LOAD_BALANCERS = `${PREFIX}load-balancer-configurations`;
const IDLE_TIMEOUT = `${PREFIX}load-balancer-tcp-idle-timeout`;

const KNOWN: ReadonlySet<string> = new Set([INTERNAL, INTERNAL_SUBNET, LOAD_BALANCERS, IDLE_TIMEOUT]);

/** In minutes, as a standard load balancer has it. */
const IDLE_TIMEOUTS = { minimum: 4, maximum: 100 };

/** What a Service asks of Azure by annotation. */
export interface AnnotatedDemands {
  readonly scope: FrontendScope;
  /** The name of the subnet for the internal address; undefined: that of the nodes. */
  readonly subnet: string | undefined;
  /** The load balancers it may be placed on; undefined: any. */
  readonly allowed: readonly string[] | undefined;
  readonly idleTimeoutMinutes: number;
}

/**
 * Reads the annotations that users of Azure's own controller know. Throws a terminal error for one that cannot be
 * honoured or understood: it is never left out.
 */
export function annotatedDemands(service: Service): AnnotatedDemands {
  const annotations = service.metadata.annotations ?? {};
  for (const [name, value] of Object.entries(annotations)) {
    const isDemand = name.startsWith(PREFIX) || name.startsWith(PORT_PREFIX);
    if (isDemand && !KNOWN.has(name) && asksForSomething(value)) {
      throw refusal('annotation-unsupported', `its annotation ${name} asks for something that is not to be had here`);
    }
  }
  const text = (name: string) => annotations[name]?.trim() || undefined;
  const scope = scopeOf(text(INTERNAL));
  const subnet = text(INTERNAL_SUBNET);
  if (subnet !== undefined && scope === 'public') {
    throw refusal(
      'annotation-unsupported',
      `its annotation ${INTERNAL_SUBNET} makes sense only with ${INTERNAL}: "true"`,
    );
  }
  const allowed = text(LOAD_BALANCERS)
    ?.split(',')
    .map((name) => name.trim());
  return { scope, subnet, allowed, idleTimeoutMinutes: idleTimeoutOf(text(IDLE_TIMEOUT)) };
}

function asksForSomething(value: string): boolean {
  const text = value.trim().toLowerCase();
  return text !== '' && text !== 'false';
}

function scopeOf(text: string | undefined): FrontendScope {
  const lower = text?.toLowerCase() ?? 'false';
  if (lower === 'true') return 'internal';
  if (lower === 'false') return 'public';
  throw refusal('invalid-annotation', `its annotation ${INTERNAL} is ${JSON.stringify(text)}: use "true" or "false"`);
}

function idleTimeoutOf(text: string | undefined): number {
  const { minimum, maximum } = IDLE_TIMEOUTS;
  const minutes = text === undefined ? minimum : Number(text);
  if (Number.isInteger(minutes) && minutes >= minimum && minutes <= maximum) return minutes;
  const message = `its annotation ${IDLE_TIMEOUT} is ${JSON.stringify(text)}: use ${minimum} to ${maximum} minutes`;
  throw refusal('invalid-annotation', message);
}

function refusal(code: string, message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code });
}
