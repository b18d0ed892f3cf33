import { unexpectedAnswer as unexpected } from '@fairlead/cloud';
import { type FairleadError, isRecord } from '@fairlead/control';
import { type ArmId, parseArmId, sameArmId } from '../arm-id.ts';
import type { AddressLocation, ArmBodies, GatewayService } from '../types/index.ts';
import type { CallableKind } from './call-options.ts';

/** What to look for at the address of Azure. */
export const SERVER = 'Azure Resource Manager';

/** Azure validates its own bodies; what is left to check is that this is one, and of which kind. */
export function isBodyOf<Kind extends CallableKind>(kind: Kind, value: unknown): value is ArmBodies[Kind] {
  return isBody(value) && parseArmId(value.id)?.kind === kind;
}

/** Like `isBodyOf`, for the very resource. */
export function isBodyAt<Kind extends CallableKind>(id: ArmId<Kind>, value: unknown): value is ArmBodies[Kind] {
  return isBody(value) && sameArmId(value.id, id);
}

function isBody(value: unknown): value is { readonly id: string } {
  if (!isRecord(value) || typeof value['name'] !== 'string' || !isRecord(value['properties'])) return false;
  return typeof value['id'] === 'string';
}

export interface ListPage {
  readonly items: readonly unknown[];
  readonly nextLink?: string;
}

export function toPage(what: string, value: unknown): ListPage {
  if (!isRecord(value) || !Array.isArray(value['value'])) throw unexpectedAnswer(what, 'is not a list');
  const { nextLink } = value;
  return { items: value['value'], ...(typeof nextLink === 'string' && nextLink !== '' ? { nextLink } : {}) };
}

export function toGatewayService(what: string, value: unknown): GatewayService {
  if (isGatewayService(value)) return value;
  throw unexpectedAnswer(what, 'lists something that is not a service');
}

/** Azure may leave out empty lists. */
export function toAddressLocation(what: string, value: unknown): AddressLocation {
  if (!isRecord(value) || typeof value['addressLocation'] !== 'string') {
    throw unexpectedAnswer(what, 'lists something that is not a location');
  }
  const listed: unknown[] = Array.isArray(value['addresses']) ? value['addresses'] : [];
  const addresses = listed.map((entry) => {
    if (!isRecord(entry) || typeof entry['address'] !== 'string') {
      throw unexpectedAnswer(what, 'lists a location with something that is not an address');
    }
    const services: unknown[] = Array.isArray(entry['services']) ? entry['services'] : [];
    return { address: entry['address'], services: services.filter((name) => typeof name === 'string') };
  });
  return { addressLocation: value['addressLocation'], addresses };
}

export function unexpectedAnswer(what: string, how: string): FairleadError {
  return unexpected(SERVER, what, how);
}

function isGatewayService(value: unknown): value is GatewayService {
  if (!isRecord(value) || typeof value['name'] !== 'string' || !isRecord(value['properties'])) return false;
  return typeof value['properties']['serviceType'] === 'string';
}
