import { FairleadError } from '@fairlead/control';
import { Counts, FORWARD, Responder } from '../server/index.ts';
import { encodeName, RECORD_TYPES, type RecordType } from '../wire/index.ts';
import { orderText, recordLines, serviceRecords } from '../zone/index.ts';
import { SNAPSHOT_SEED, type Snapshot } from './snapshot.ts';

/** What would be answered to a question, and why: lines for a person. The same tables and code answer as in the server. */
export function answerReport(
  snapshot: Snapshot,
  typed: string,
  type: RecordType,
  forwards: boolean,
): readonly string[] {
  const name = typed.toLowerCase().replace(/\.$/, '');
  const result = resultOf(snapshot, name, type, forwards);
  const set = snapshot.names.get(name)?.find((one) => one.type === type);
  const order = set === undefined ? undefined : orderText(set);
  return [
    `${name} ${type}: ${result}`,
    ...(set === undefined ? [] : recordLines(set).map((line) => `  ${line}`)),
    ...(order === undefined ? [] : [`  ${order}`]),
    ...whyLines(snapshot, name),
  ];
}

export function parseType(text: string): RecordType {
  const upper = text.toUpperCase();
  const found = Object.keys(RECORD_TYPES).find((one): one is RecordType => one === upper);
  if (found !== undefined) return found;
  const known = Object.keys(RECORD_TYPES).join(', ');
  throw new FairleadError(`${text} is no type of the zone: it has ${known}`, { verdict: 'terminal', code: 'usage' });
}

function resultOf({ settings, table, names }: Snapshot, name: string, type: RecordType, forwards: boolean): string {
  const counts = new Counts();
  const responder = new Responder({ settings, table, counts, seed: SNAPSHOT_SEED, udpBytes: 1_232, forwards });
  responder.isReady = true;
  const outcome = responder.respond(queryBytes(name, type), Buffer.alloc(65_535), 'tcp');
  if (outcome === FORWARD) return 'forwarded, because it is not of the zone';
  if (responder.rcode === 'REFUSED') return `REFUSED, because it is not of the zone ${settings.zone}`;
  if (responder.rcode === 'NXDOMAIN') return 'NXDOMAIN, the name is not there';
  const isThere = names.get(name)?.some((set) => set.type === type) === true;
  return isThere ? responder.rcode : `${responder.rcode}, the name is there and has no such records`;
}

function queryBytes(name: string, type: RecordType): Buffer {
  const encoded = encodeName(name);
  if (encoded === undefined) {
    throw new FairleadError(`${JSON.stringify(name)} is no name`, { verdict: 'terminal', code: 'usage' });
  }
  const bytes = Buffer.concat([Buffer.alloc(12), encoded, Buffer.of(0, RECORD_TYPES[type], 0, 1)]);
  bytes[5] = 1;
  return bytes;
}

/** The clusters of the Service that the name is about. */
function whyLines({ settings, index }: Snapshot, name: string): readonly string[] {
  const suffix = `.svc.${settings.zone}`;
  if (!name.endsWith(suffix)) return [];
  const [namespace = '', service = ''] = name.slice(0, -suffix.length).split('.').toReversed();
  return serviceLines({ settings, index }, namespace, service);
}

/** What each cluster has to do with a Service. */
export function serviceLines(
  { settings, index }: Pick<Snapshot, 'settings' | 'index'>,
  namespace: string,
  service: string,
): readonly string[] {
  const view = index.view(namespace, service);
  const records = view === undefined ? undefined : serviceRecords(view, settings);
  if (records?.type === undefined) return [`there is no ServiceImport ${namespace}/${service}`];
  const { type, shares, leftOut: beyond } = records;
  const ips = view?.serviceImport?.spec.ips ?? [];
  return [
    `the ServiceImport ${namespace}/${service} is of type ${type}`,
    ...(ips.length > 0
      ? [`the clusterset has the address ${ips.join(', ')} in this cluster, which stands for all`]
      : []),
    ...beyond.map((reason) => `left out: ${reason}`),
    ...shares.flatMap(({ cluster, isLocal, sources, endpoints, leftOut }) => [
      `cluster ${cluster}${isLocal ? ' (this one, preferred)' : ''}: ${endpoints.length} endpoints, of ${sources.join(', ')}`,
      ...leftOut.map((reason) => `  left out: ${reason}`),
    ]),
  ];
}
