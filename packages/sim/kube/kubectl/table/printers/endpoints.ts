import { type JsonObject, listOf, objectOf, textOf } from '../../../../json.ts';
import { firstThree, numberOf, printer } from '../printer.ts';

function withPort(address: string, port: string): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function subsetTexts({ addresses, ports }: JsonObject): readonly string[] {
  const texts = listOf(addresses).map((address) => textOf(objectOf(address).ip));
  const numbers = listOf(ports).map((port) => String(numberOf(objectOf(port).port)));
  return numbers.length === 0 ? texts : numbers.flatMap((number) => texts.map((text) => withPort(text, number)));
}

export const endpointsPrinter = printer(['Endpoints'], ({ subsets }) => {
  const all = listOf(subsets).map(objectOf);
  return [all.length === 0 ? '<none>' : firstThree(all.flatMap(subsetTexts))];
});

function slicePort({ port, name }: JsonObject): string {
  if (typeof port === 'number') return String(port);
  return typeof name === 'string' ? name : '*';
}

function orUnset(text: string): string {
  return text === '' ? '<unset>' : text;
}

export const endpointSlicePrinter = printer(['AddressType', 'Ports', 'Endpoints'], (slice) => {
  const ports = listOf(slice.ports).map((port) => slicePort(objectOf(port)));
  const addresses = listOf(slice.endpoints).flatMap((endpoint) => listOf(objectOf(endpoint).addresses).map(textOf));
  return [textOf(slice.addressType), orUnset(firstThree(ports)), orUnset(firstThree(addresses))];
});
