import { FairleadError } from '@fairlead/control';
import type { Service } from '@fairlead/kube';

const PREFIX = 'service.beta.kubernetes.io/azure-';
/** Rules and probes of single ports. */
const PORT_PREFIX = 'service.beta.kubernetes.io/port_';

/** How the annotations begin that Azure's own controller takes for demands: a part that leaves them out cannot refuse. */
export const azureAnnotationPrefixes = [PREFIX, PORT_PREFIX] as const;

/** The annotations of Azure's own controller that a part of ours honours. */
export const azureAnnotations = {
  internal: `${PREFIX}load-balancer-internal`,
  internalSubnet: `${PREFIX}load-balancer-internal-subnet`,
  loadBalancers: `${PREFIX}load-balancer-configurations`,
  idleTimeout: `${PREFIX}load-balancer-tcp-idle-timeout`,
  withoutFloatingIp: `${PREFIX}disable-load-balancer-floating-ip`,
  addressIPv4: `${PREFIX}load-balancer-ipv4`,
  addressIPv6: `${PREFIX}load-balancer-ipv6`,
  addressName: `${PREFIX}pip-name`,
  addressNameIPv6: `${PREFIX}pip-name-ipv6`,
  addressGroup: `${PREFIX}load-balancer-resource-group`,
  addressTags: `${PREFIX}pip-tags`,
  prefix: `${PREFIX}pip-prefix-id`,
  prefixIPv6: `${PREFIX}pip-prefix-id-ipv6`,
  dnsLabel: `${PREFIX}dns-label-name`,
  allowedRanges: `${PREFIX}allowed-ip-ranges`,
  allowedServiceTags: `${PREFIX}allowed-service-tags`,
  denyAllOthers: `${PREFIX}deny-all-except-load-balancer-source-ranges`,
  probeProtocol: `${PREFIX}load-balancer-health-probe-protocol`,
  probePath: `${PREFIX}load-balancer-health-probe-request-path`,
  probeInterval: `${PREFIX}load-balancer-health-probe-interval`,
  probeCount: `${PREFIX}load-balancer-health-probe-num-of-probe`,
} as const;

export type AzureAnnotation = (typeof azureAnnotations)[keyof typeof azureAnnotations];

/** What an annotation asks for, where the part does not honour it. */
const MEANINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'load-balancer-internal': 'an internal load balancer',
    'load-balancer-internal-subnet': 'an internal load balancer',
    'load-balancer-ipv4': 'an address of its choice',
    'load-balancer-ipv6': 'an address of its choice',
    'pip-name': 'a public IP address that is there already',
    'pip-name-ipv6': 'a public IP address that is there already',
    'pip-prefix-id': 'an address from a prefix',
    'pip-prefix-id-ipv6': 'an address from a prefix',
    'pip-tags': 'tags on its address',
    'pip-ip-tags': 'IP tags on its address',
    'dns-label-name': 'a DNS label on its address',
    'load-balancer-resource-group': 'an address from another resource group',
    'allowed-service-tags': 'a restriction of its sources',
    'allowed-ip-ranges': 'a restriction of its sources',
    'deny-all-except-load-balancer-source-ranges': 'a restriction of its sources',
    'load-balancer-enable-high-availability-ports': 'all ports at once',
    'pls-create': 'a private link service',
  }).map(([name, meaning]) => [PREFIX + name, meaning]),
);

/** Demands by annotation, but for those that are honoured. */
function demandsBut(honoured: ReadonlySet<string>, { metadata }: Service): readonly string[] {
  return Object.entries(metadata.annotations ?? {}).flatMap(([annotation, text]) => {
    const isDemand = azureAnnotationPrefixes.some((prefix) => annotation.startsWith(prefix));
    if (!isDemand || honoured.has(annotation)) return [];
    return ['', 'false'].includes(text.trim().toLowerCase()) ? [] : [annotation];
  });
}

const ABOUT_PROBES = /^service\.beta\.kubernetes\.io\/(azure-load-balancer-health-probe-|port_\d+_health-probe_)/;
/** Going without lets no client in and out of no place, and takes no address that others know. */
const HARMLESS: ReadonlySet<string> = new Set(
  ['dns-label-name', 'load-balancer-disable-tcp-reset', 'load-balancer-mode', 'load-balancer-resource-group'].map(
    (name) => PREFIX + name,
  ),
);

/**
 * Demands that a load balancer without probes can pass over: those about probes, and with `warn` the harmless ones. What
 * protects, such as a restriction of sources, never is one.
 */
export function dispensableAnnotations(
  honoured: ReadonlySet<string>,
  service: Service,
  others: 'refuse' | 'warn',
): readonly string[] {
  return demandsBut(honoured, service).filter(
    (annotation) => ABOUT_PROBES.test(annotation) || (others === 'warn' && HARMLESS.has(annotation)),
  );
}

/** In minutes. */
const SHORTEST_IDLE_TIMEOUT = 4;

/**
 * Throws a terminal error, in plain words about «it», the Service, for the first demand by annotation that the part does
 * not honour. All that Azure's own controller would take for a demand is one: none is passed over because it is not
 * known here.
 */
export function refuseAnnotationsBut(honoured: ReadonlySet<string>, service: Service): void {
  for (const annotation of demandsBut(honoured, service)) {
    const meaning = MEANINGS.get(annotation) ?? 'something that this load balancer does not know';
    const message = `its annotation ${annotation} asks for ${meaning}, which cannot be had`;
    throw new FairleadError(message, { verdict: 'terminal', code: 'annotation-unsupported' });
  }
}

/** A frontend of Azure listens on these. */
const HIGHEST_PORT = 65_534;

/** Throws a terminal error, in plain words about «it», for a port that no frontend can have. */
export function refusePortsBeyond(ports: readonly { readonly port: number }[]): void {
  const beyond = ports.find(({ port }) => port > HIGHEST_PORT);
  if (beyond === undefined) return;
  const message = `it has the port ${beyond.port}, and a load balancer of Azure listens on 1 to ${HIGHEST_PORT}`;
  throw new FairleadError(message, { verdict: 'terminal', code: 'port-unsupported' });
}

/** What the annotation says; undefined where it is missing or empty. */
export function annotationText({ metadata }: Service, annotation: AzureAnnotation): string | undefined {
  return metadata.annotations?.[annotation]?.trim() || undefined;
}

/**
 * Minutes of silence after which a connection is forgotten. Throws a terminal error with this code for what Azure does
 * not take.
 */
export function idleTimeoutMinutes(service: Service, longest: number, code: string): number {
  const text = annotationText(service, azureAnnotations.idleTimeout);
  const minutes = text === undefined ? SHORTEST_IDLE_TIMEOUT : Number(text);
  if (Number.isInteger(minutes) && minutes >= SHORTEST_IDLE_TIMEOUT && minutes <= longest) return minutes;
  throw new FairleadError(
    `its annotation ${azureAnnotations.idleTimeout} is ${JSON.stringify(text)}: ` +
      `use ${SHORTEST_IDLE_TIMEOUT} to ${longest} minutes`,
    { verdict: 'terminal', code },
  );
}
