import { parseIpAddress } from '@fairlead/control';
import type { RecordData } from '../wire/index.ts';
import { FIXED, type NamedRecords, type RecordSet } from './record-set.ts';
import type { ZoneSettings } from './settings.ts';

/** The version of the DNS specification for clustersets that the records follow, and how long it may be kept. */
const SPECIFICATION = '1.0.0';
const SPECIFICATION_SECONDS = 28_800;

/** What the zone says of itself. */
export function zoneRecords(settings: ZoneSettings): NamedRecords {
  const { zone, seconds, nameServerAddresses } = settings;
  const nameServer = `ns.dns.${zone}`;
  const addresses = nameServerAddresses.flatMap((text): readonly RecordData[] => {
    const parsed = parseIpAddress(text);
    return parsed === undefined ? [] : [{ type: parsed.family === 'IPv4' ? 'A' : 'AAAA', address: parsed.address }];
  });
  const set = (records: readonly RecordData[], kept = seconds): readonly RecordSet[] => {
    const [first] = records;
    return first === undefined ? [] : [{ type: first.type, seconds: kept, records, order: FIXED }];
  };
  return new Map([
    [zone, [...set([startOfAuthority(settings)]), ...set([{ type: 'NS', target: nameServer }])]],
    [`dns-version.${zone}`, set([{ type: 'TXT', text: SPECIFICATION }], SPECIFICATION_SECONDS)],
    [
      nameServer,
      [...set(addresses.filter(({ type }) => type === 'A')), ...set(addresses.filter(({ type }) => type === 'AAAA'))],
    ],
    // It is there when no Service is.
    [`svc.${zone}`, []],
  ]);
}

/** Goes with every answer that something is not there. */
export function startOfAuthority({ zone, seconds, serial }: ZoneSettings): RecordData {
  return {
    type: 'SOA',
    nameServer: `ns.dns.${zone}`,
    mailbox: `hostmaster.${zone}`,
    serial,
    negativeSeconds: seconds,
  };
}
