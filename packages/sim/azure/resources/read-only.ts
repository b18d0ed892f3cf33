import { isJsonList, isJsonObject, type Json, type JsonDraft, type JsonObject, objectOf, without } from '../../json.ts';
import type { RootKind } from '../requests/target.ts';

const ALWAYS = ['provisioningState', 'resourceGuid'];
const BY_KIND: Readonly<Record<RootKind, readonly string[]>> = {
  serviceGateways: ['services'],
  publicIPAddresses: ['ipAddress', 'ipConfiguration', 'natGateway'],
  loadBalancers: [],
  natGateways: ['subnets'],
  networkSecurityGroups: ['subnets', 'defaultSecurityRules'],
  virtualNetworks: [],
};
const OF_PARTS = ['provisioningState', 'loadBalancingRules', 'ipConfigurations'];

/** What is kept of a body: a client that writes back what it read sends much that only Azure sets. */
export function withoutReadOnly(kind: RootKind, body: JsonObject): JsonObject {
  const properties = without(objectOf(body['properties']), ...ALWAYS, ...BY_KIND[kind]);
  const kept: JsonDraft = {};
  for (const [name, value] of Object.entries(properties)) kept[name] = isJsonList(value) ? value.map(ofPart) : value;
  return { ...without(body, 'id', 'name', 'etag', 'type'), properties: kept };
}

/** A part has a name; a plain reference has only an id, which stays. */
function ofPart(part: Json): Json {
  if (!isJsonObject(part) || part['name'] === undefined) return part;
  const properties = without(objectOf(part['properties']), ...OF_PARTS);
  return { ...without(part, 'id', 'etag', 'type'), properties };
}
