import { callLine, type LoggedCall } from '../cloud/call-log.ts';
import { listOf, textOf, valueAt } from '../json.ts';

/** `PUT publicIPAddresses/web-pip 201`, and what the actions of a gateway changed. */
export function lineOf(call: LoggedCall): string {
  return `${callLine(call)}${detailOf(call)}`;
}

function detailOf({ kind, body }: LoggedCall): string {
  if (kind === 'updateServices') {
    const requests = listOf(body?.['serviceRequests']).map((request) => {
      const name = textOf(valueAt(request, 'service', 'name'));
      return valueAt(request, 'isDelete') === true ? `-${name}` : `+${name}`;
    });
    return `: ${requests.join(' ')}`;
  }
  if (kind === 'updateAddressLocations') return `: ${listOf(body?.['addressLocations']).map(locationText).join('; ')}`;
  return '';
}

function locationText(location: Parameters<typeof valueAt>[0]): string {
  const addresses = listOf(valueAt(location, 'addresses')).map((entry) => {
    const services = listOf(valueAt(entry, 'services')).map(textOf);
    const address = textOf(valueAt(entry, 'address'));
    return services.length === 0 ? `-${address}` : `${address}=${services.join(',')}`;
  });
  const where = textOf(valueAt(location, 'addressLocation'));
  return addresses.length === 0 ? `-${where}` : `${where}[${addresses.join(' ')}]`;
}
