import { type IpAddress, type IpFamily, parseIpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { readSourceRanges, refusal, type SourceRanges } from '@fairlead/service';
import {
  annotationText,
  type AzureAnnotation,
  azureAnnotations,
  idleTimeoutMinutes,
  isResourceName,
  refuseAnnotationsBut,
} from '../../arm/index.ts';
import type { FrontendScope } from '../configuration.ts';

const { withoutFloatingIp: _, addressTags: _tags, ...honoured } = azureAnnotations;
const HONOURED: ReadonlySet<string> = new Set(Object.values(honoured));

/** In minutes, as a standard load balancer has it. */
const LONGEST_IDLE_TIMEOUT = 100;
/** Often enough that a node that stops serving is noticed within ten seconds. */
const USUAL_PROBE: ProbeTiming = { intervalInSeconds: 5, probeThreshold: 2 };
/** Of the four thousand that a security group takes for all Services together. */
const MOST_SOURCE_RANGES = 1_000;
/** Each takes rules of the security group, of which all Services together have a thousand. */
const MOST_SERVICE_TAGS = 20;
/** After so many seconds Azure wants to know that a node is gone. */
const PROBE_SECONDS = 120;

export interface ProbeTiming {
  readonly intervalInSeconds: number;
  /** So many probes have to fail until a node gets no more traffic. */
  readonly probeThreshold: number;
}

/** A public address that the user has made: by its name, or by the address itself. */
export type OwnAddress = { readonly name: string } | { readonly address: IpAddress };

/** What a Service asks for by the annotations that users of Azure's own controller know. */
export interface AnnotatedDemands {
  readonly scope: FrontendScope;
  /** The name of the subnet for the internal address; undefined: that of the nodes. */
  readonly subnet: string | undefined;
  /** The load balancers it may be placed on; undefined: any. */
  readonly allowed: readonly string[] | undefined;
  readonly idleTimeoutMinutes: number;
  readonly probe: ProbeTiming;
  /** Where addresses of the user's own are; undefined: beside everything else. */
  readonly addressGroup: string | undefined;
  /** The first label of the name that public addresses have in Azure's DNS. */
  readonly dnsLabel: string | undefined;
}

/**
 * Throws a terminal error for an annotation that cannot be honoured or understood: it is never left out. What a probe asks
 * for, and by which protocol, is not the Service's to say: kube-proxy answers for each node, over HTTP.
 */
export function annotatedDemands(service: Service): AnnotatedDemands {
  refuseAnnotationsBut(HONOURED, service);
  const scope = scopeOf(annotationText(service, azureAnnotations.internal));
  if (scope === 'public') refuseOnly(service, 'internal', [azureAnnotations.internalSubnet]);
  else refuseOnly(service, 'public', PUBLIC_ONLY);
  return {
    scope,
    subnet: subnetName(service),
    allowed: listIn(service, azureAnnotations.loadBalancers),
    idleTimeoutMinutes: idleTimeoutMinutes(service, LONGEST_IDLE_TIMEOUT, 'invalid-annotation'),
    probe: probeTiming(service),
    addressGroup: annotationText(service, azureAnnotations.addressGroup),
    dnsLabel: dnsLabelOf(service),
  };
}

const PUBLIC_ONLY: readonly AzureAnnotation[] = [
  azureAnnotations.addressName,
  azureAnnotations.addressNameIPv6,
  azureAnnotations.addressGroup,
  azureAnnotations.prefix,
  azureAnnotations.prefixIPv6,
  azureAnnotations.dnsLabel,
];

function refuseOnly(service: Service, scope: FrontendScope, annotations: readonly AzureAnnotation[]): void {
  const senseless = annotations.find((annotation) => annotationText(service, annotation) !== undefined);
  if (senseless === undefined) return;
  const value = scope === 'internal' ? 'with' : 'without';
  throw refusal(
    'annotation-unsupported',
    `its annotation ${senseless} makes sense only ${value} ${azureAnnotations.internal}: "true"`,
  );
}

function scopeOf(text: string | undefined): FrontendScope {
  const lower = text?.toLowerCase() ?? 'false';
  if (lower === 'true') return 'internal';
  if (lower === 'false') return 'public';
  throw invalid(azureAnnotations.internal, text, 'use "true" or "false"');
}

/** It becomes part of an id: what could lead elsewhere, or fail the requests of others, is no name. */
function subnetName(service: Service): string | undefined {
  const name = annotationText(service, azureAnnotations.internalSubnet);
  if (name === undefined || isResourceName(name)) return name;
  throw invalid(azureAnnotations.internalSubnet, name, 'use the name of a subnet');
}

function probeTiming(service: Service): ProbeTiming {
  const { intervalInSeconds, probeThreshold } = USUAL_PROBE;
  const timing = {
    intervalInSeconds: wholeNumber(service, azureAnnotations.probeInterval, 5) ?? intervalInSeconds,
    probeThreshold: wholeNumber(service, azureAnnotations.probeCount, 2) ?? probeThreshold,
  };
  const seconds = timing.intervalInSeconds * timing.probeThreshold;
  if (seconds < PROBE_SECONDS) return timing;
  throw refusal(
    'invalid-annotation',
    `its probes take ${seconds} seconds to tell: Azure takes less than ${PROBE_SECONDS}`,
  );
}

function wholeNumber(service: Service, annotation: AzureAnnotation, minimum: number): number | undefined {
  const text = annotationText(service, annotation);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= minimum) return number;
  throw invalid(annotation, text, `use a whole number from ${minimum} on`);
}

function dnsLabelOf(service: Service): string | undefined {
  const label = annotationText(service, azureAnnotations.dnsLabel);
  if (label === undefined || /^[a-z][a-z0-9-]{1,61}[a-z0-9]$/.test(label)) return label;
  throw invalid(azureAnnotations.dnsLabel, label, 'use 3 to 63 lower-case letters, digits and hyphens');
}

/** The clients that may come, of those that `asked` names by its fields, and of those that annotations name. */
export function allowedSources(
  service: Service,
  families: readonly IpFamily[],
  asked: SourceRanges,
): { readonly sourceRanges: SourceRanges; readonly serviceTags: readonly string[] } {
  const texts = listIn(service, azureAnnotations.allowedRanges);
  if (texts !== undefined && asked.kind === 'only') {
    const message = `spec.loadBalancerSourceRanges and the annotation ${azureAnnotations.allowedRanges} both say who may come: keep one`;
    throw refusal('sources-asked-twice', message);
  }
  const where = `the annotation ${azureAnnotations.allowedRanges}`;
  const ranges = texts === undefined ? asked : readSourceRanges({ where, texts }, families);
  const count = ranges.kind === 'any' ? 0 : ranges.IPv4.length + ranges.IPv6.length;
  if (count > MOST_SOURCE_RANGES) {
    throw refusal('too-many-source-ranges', `it names ${count} source ranges: use ${MOST_SOURCE_RANGES} at most`);
  }
  const serviceTags = listIn(service, azureAnnotations.allowedServiceTags) ?? [];
  const odd = serviceTags.find((tag) => !/^[A-Za-z][A-Za-z0-9.]*$/.test(tag));
  if (odd !== undefined) throw invalid(azureAnnotations.allowedServiceTags, odd, 'use service tags such as AzureCloud');
  if (serviceTags.length > MOST_SERVICE_TAGS) {
    const message = `its annotation ${azureAnnotations.allowedServiceTags} names ${serviceTags.length} service tags: use ${MOST_SERVICE_TAGS} at most`;
    throw refusal('invalid-annotation', message);
  }
  const isByTagsAlone = serviceTags.length > 0 && ranges.kind === 'any';
  return { sourceRanges: isByTagsAlone ? { kind: 'only', IPv4: [], IPv6: [] } : ranges, serviceTags };
}

/** The addresses that annotations ask for, with those that fields of the Service do. */
export function chosenAddresses(
  service: Service,
  families: readonly IpFamily[],
  asked: readonly IpAddress[],
): readonly IpAddress[] {
  const annotated = (['IPv4', 'IPv6'] as const).flatMap((family) => {
    const annotation = family === 'IPv4' ? azureAnnotations.addressIPv4 : azureAnnotations.addressIPv6;
    const text = annotationText(service, annotation);
    if (text === undefined) return [];
    const parsed = parseIpAddress(text);
    if (parsed?.family === family && families.includes(family)) return [parsed.address];
    throw invalid(annotation, text, `use an ${family} address, on a Service of that family`);
  });
  if (annotated.length === 0) return asked;
  if (asked.length === 0) return annotated;
  throw refusal(
    'addresses-asked-twice',
    'it asks for addresses by an annotation of Azure and in another way: keep one',
  );
}

/** Public addresses of the user's own, by family; the part makes those of the others. */
export function ownAddresses(
  service: Service,
  families: readonly IpFamily[],
  chosen: readonly IpAddress[],
): Readonly<Partial<Record<IpFamily, OwnAddress>>> {
  return Object.fromEntries(
    families.flatMap((family): readonly (readonly [IpFamily, OwnAddress])[] => {
      const name = ofFamily(service, families, family, azureAnnotations.addressName, azureAnnotations.addressNameIPv6);
      const address = chosen.find((candidate) => candidate.includes(':') === (family === 'IPv6'));
      if (name !== undefined && address !== undefined) {
        throw refusal('addresses-asked-twice', `it asks for the address ${address} and for that of ${name}: keep one`);
      }
      if (name !== undefined) return [[family, { name }]];
      return address === undefined ? [] : [[family, { address }]];
    }),
  );
}

const PREFIX_ID =
  /^\/subscriptions\/[-\w]+\/resourceGroups\/[-\w.()]+\/providers\/Microsoft\.Network\/publicIPPrefixes\/[-\w.]+$/i;

/** The prefixes that new public addresses are taken from: ids of Azure. */
export function prefixIds(
  service: Service,
  families: readonly IpFamily[],
): Readonly<Partial<Record<IpFamily, string>>> {
  return Object.fromEntries(
    families.flatMap((family) => {
      const id = ofFamily(service, families, family, azureAnnotations.prefix, azureAnnotations.prefixIPv6);
      if (id === undefined) return [];
      if (PREFIX_ID.test(id)) return [[family, id] as const];
      throw invalid(azureAnnotations.prefix, id, 'use the id of a public IP prefix');
    }),
  );
}

/** The second annotation is for the IPv6 of a dual-stack Service; one of a single family may use either. */
function ofFamily(
  service: Service,
  families: readonly IpFamily[],
  family: IpFamily,
  plain: AzureAnnotation,
  forIPv6: AzureAnnotation,
): string | undefined {
  const own = family === 'IPv6' ? annotationText(service, forIPv6) : undefined;
  const isSingle = families.length === 1;
  return own ?? (family === 'IPv4' || isSingle ? annotationText(service, plain) : undefined);
}

function listIn(service: Service, annotation: AzureAnnotation): readonly string[] | undefined {
  return annotationText(service, annotation)
    ?.split(',')
    .map((text) => text.trim());
}

function invalid(annotation: string, text: string | undefined, hint: string) {
  return refusal('invalid-annotation', `its annotation ${annotation} is ${JSON.stringify(text)}: ${hint}`);
}
