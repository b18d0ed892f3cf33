import { createHash } from 'node:crypto';

/* Where things lie at the broker and in a cluster. Services, namespaces and suffixes have no dots in their names. */

/** A Service of the clusterset: the same namespace and name in every cluster. */
export interface ExportKey {
  readonly namespace: string;
  readonly name: string;
}

const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Which cluster an object at the broker, or an imported one, is from: labels take 63 characters. */
export function isClusterName(text: string): boolean {
  return text.length <= 63 && SUBDOMAIN.test(text);
}

/**
 * The namespace at the broker in which one cluster, and no other, may write. Names that are too long for a namespace,
 * or have dots, are hashed under a prefix of their own, so that no two clusters meet.
 */
export function memberNamespace(brokerNamespace: string, cluster: string): string {
  const plain = `${brokerNamespace}-m-${cluster}`;
  return LABEL.test(plain) ? plain : `${brokerNamespace}-h-${hash(cluster)}`;
}

/** The record of an exported Service in the namespace of its cluster, and the aggregate in the shared one. */
export function recordName({ namespace, name }: ExportKey): string {
  return `${name}.${namespace}`;
}

/** Undefined for a name that no record has. */
export function keyOfRecord(recordedName: string): ExportKey | undefined {
  const [name = '', namespace = '', ...rest] = recordedName.split('.');
  return rest.length === 0 && LABEL.test(name) && LABEL.test(namespace) ? { namespace, name } : undefined;
}

/** At the broker, in the namespace of the cluster. */
export function exportedSliceName(key: ExportKey, suffix: string): string {
  return `${recordName(key)}.${suffix}`;
}

export function partsOfExportedSlice(
  sliceName: string,
): { readonly key: ExportKey; readonly suffix: string } | undefined {
  const at = sliceName.lastIndexOf('.');
  const key = keyOfRecord(sliceName.slice(0, Math.max(at, 0)));
  const suffix = sliceName.slice(at + 1);
  return key !== undefined && LABEL.test(suffix) ? { key, suffix } : undefined;
}

/** In a cluster, in the namespace of the Service. The cluster comes last: its name may have dots. */
export function importedSliceName(service: string, cluster: string, suffix: string): string {
  return `${service}.${suffix}.${cluster}`;
}

/** The Service of our own behind an import: of the import's namespace, so that its name alone tells them apart. */
export function derivedServiceName(service: string): string {
  return `derived-${hash(service)}`;
}

/** The share of this cluster behind it. An imported slice has one part more. */
export function derivedSliceName(service: string, suffix: string): string {
  return `${derivedServiceName(service)}.${suffix}`;
}

/** For what has a name of any length, such as the EndpointSlice that is exported. */
export function suffixFor(text: string): string {
  return `s${hash(text).slice(0, 16)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
