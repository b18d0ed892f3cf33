import { FairleadError } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { annotationText, azureAnnotations, idleTimeoutMinutes, refuseAnnotationsBut } from '../../arm/index.ts';
import type { FrontendScope } from '../configuration.ts';

const { internal: INTERNAL, internalSubnet: INTERNAL_SUBNET, loadBalancers: LOAD_BALANCERS } = azureAnnotations;
const HONOURED: ReadonlySet<string> = new Set(Object.values(azureAnnotations));
/** In minutes, as a standard load balancer has it. */
const LONGEST_IDLE_TIMEOUT = 100;

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
  refuseAnnotationsBut(HONOURED, service);
  const scope = scopeOf(annotationText(service, INTERNAL));
  const subnet = annotationText(service, INTERNAL_SUBNET);
  if (subnet !== undefined && scope === 'public') {
    throw refusal(
      'annotation-unsupported',
      `its annotation ${INTERNAL_SUBNET} makes sense only with ${INTERNAL}: "true"`,
    );
  }
  const allowed = annotationText(service, LOAD_BALANCERS)
    ?.split(',')
    .map((name) => name.trim());
  const idleTimeout = idleTimeoutMinutes(service, LONGEST_IDLE_TIMEOUT, 'invalid-annotation');
  return { scope, subnet, allowed, idleTimeoutMinutes: idleTimeout };
}

function scopeOf(text: string | undefined): FrontendScope {
  const lower = text?.toLowerCase() ?? 'false';
  if (lower === 'true') return 'internal';
  if (lower === 'false') return 'public';
  throw refusal('invalid-annotation', `its annotation ${INTERNAL} is ${JSON.stringify(text)}: use "true" or "false"`);
}

function refusal(code: string, message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code });
}
