import type { Export } from '../merge/merge.ts';
import { isOwnMark } from './marks.ts';

/*
 * The definition of ServiceImports lets pass what API servers refuse elsewhere. One such field in the record of one
 * cluster would come into the import, and have every write of it refused. So would what is too much of it; and marks of
 * ours would have labels and annotations of others taken off.
 */

const KEY_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
export const MOST_PORTS = 100;
const MOST_BYTES_OF_TEXTS = 64 * 1_024;
const LONGEST_PREFIX = 253;
const LONGEST_SHOWN = 50;
/** Kubernetes' own: a day. */
const MOST_AFFINITY_SECONDS = 86_400;

type Fields = Omit<Export, 'since' | 'cluster'>;
type Check = readonly [isWrong: boolean, what: string];

/** What no cluster takes from another, for the end of a sentence; undefined when there is nothing. */
export function inadmissible({ ports, labels, annotations }: Fields): string | undefined {
  if (ports.length > MOST_PORTS) return `more than ${MOST_PORTS} ports`;
  const bytes = Buffer.byteLength(JSON.stringify([labels, annotations]));
  if (bytes > MOST_BYTES_OF_TEXTS) return `more than ${MOST_BYTES_OF_TEXTS} bytes of labels and annotations`;
  const mark = Object.keys({ ...labels, ...annotations }).find(isOwnMark);
  return mark === undefined ? undefined : `${shown(mark)}, a mark of ours, among its labels and annotations`;
}

/** What is wrong with an export, for the end of a sentence; undefined when nothing is. */
export function validationProblem(fields: Fields): string | undefined {
  const { type, ipFamilies, sessionAffinity, internalTrafficPolicy, affinitySeconds = 1 } = fields;
  const checks: readonly Check[] = [
    [!isOneOf(['ClusterSetIP', 'Headless'], type), `the type ${shown(type)}`],
    ...ipFamilies.map((family): Check => [!isOneOf(['IPv4', 'IPv6'], family), `the IP family ${shown(family)}`]),
    [!isOneOf(['None', 'ClientIP'], sessionAffinity), `the session affinity ${shown(sessionAffinity)}`],
    [!isWithin(affinitySeconds, MOST_AFFINITY_SECONDS), `a session affinity of ${affinitySeconds} s`],
    [!isOneOf(['Cluster', 'Local'], internalTrafficPolicy), `the traffic policy ${shown(internalTrafficPolicy)}`],
    ...fields.ports.flatMap(({ name = '', protocol = 'TCP', port, appProtocol = 'http' }): readonly Check[] => [
      [!isWithin(port, 65_535), `the port ${port}`],
      [!isOneOf(['TCP', 'UDP', 'SCTP'], protocol), `the protocol ${shown(protocol)}`],
      [name !== '' && !DNS_LABEL.test(name), `the port name ${shown(name)}`],
      [!isKey(appProtocol), `the application protocol ${shown(appProtocol)}`],
    ]),
    ...Object.entries(fields.labels).flatMap(([key, value]): readonly Check[] => [
      [!isKey(key), `the label ${shown(key)}`],
      [!LABEL_VALUE.test(value), `the label value ${shown(value)}`],
    ]),
    // API servers read the keys of annotations in lower case.
    ...Object.keys(fields.annotations).map((key): Check => [!isKey(key.toLowerCase()), `the annotation ${shown(key)}`]),
  ];
  return checks.find(([isWrong]) => isWrong)?.[1];
}

const shown = (text: string) => JSON.stringify(text.slice(0, LONGEST_SHOWN));
const isOneOf = (known: readonly string[], text: string) => known.includes(text);
const isWithin = (number: number, most: number) => Number.isInteger(number) && number >= 1 && number <= most;

/** `name`, or `prefix/name` with the name of a domain before it. */
function isKey(key: string): boolean {
  const [first = '', second, ...more] = key.split('/');
  if (second === undefined) return KEY_NAME.test(first);
  const isDomain = first.length <= LONGEST_PREFIX && first.split('.').every((label) => DNS_LABEL.test(label));
  return more.length === 0 && isDomain && KEY_NAME.test(second);
}
