import { type Random, randomInteger, randomPick } from '@fairlead/control';
import {
  type ArmEmulator,
  type FaultMatch,
  Refusal,
  type RetryAfterForm,
  type ScriptedFault,
} from '@fairlead/sim/azure';
import { objectAt } from './arm-body.ts';
import { makeLeftovers } from './neighbours.ts';
import { addressNames, GATEWAY, loadBalancerId, natGatewayId, publicIpId, SUBNET } from './site.ts';
import type { World } from './world.ts';

/** Azure on a bad day: what becomes of the next calls. */
export type Whim =
  | { readonly kind: 'whim'; readonly match: FaultMatch; readonly fault: ScriptedFault; readonly times: number }
  | { readonly kind: 'throttle'; readonly milliseconds: number; readonly form: RetryAfterForm };

/** A person, or another program, that changes things of ours in Azure. */
export interface Meddle {
  readonly kind: 'meddle';
  readonly what: (typeof MEDDLINGS)[number];
  /** Which of the things that are there at that time. */
  readonly pick: number;
}

/** Others who share the gateway with us, or what a former life of ours has left in it. */
export interface Arrival {
  readonly kind: 'arrival';
  readonly who: 'neighbours' | 'leftovers';
}

const FAULTS: readonly ScriptedFault[] = [
  { kind: 'refuse', status: 409, code: 'AnotherOperationInProgress' },
  { kind: 'refuse', status: 412, code: 'PreconditionFailed' },
  { kind: 'refuse', status: 429, code: 'TooManyRequests', headers: { 'retry-after': '7' } },
  { kind: 'refuse', status: 500 },
  { kind: 'refuse', status: 503, headers: { 'retry-after': '2' } },
  { kind: 'misreport', status: 500 },
  { kind: 'misreport', status: 504 },
  { kind: 'fail-operation', code: 'InternalServerError' },
  { kind: 'fail-operation', code: 'RetryableError' },
  { kind: 'hang' },
  { kind: 'delay', milliseconds: 3_000 },
];
const MATCHES: readonly FaultMatch[] = [
  {},
  { method: 'PUT' },
  { method: 'DELETE' },
  { method: 'POST' },
  { kind: 'updateServices' },
  { kind: 'updateAddressLocations' },
  { kind: 'publicIPAddresses' },
];
const MEDDLINGS = [
  'take an address away',
  'put an address under a service',
  'unregister a service',
  'delete all of a service',
  'change a load balancer',
  'detach the subnet',
] as const;

export function drawWhim(random: Random): Whim {
  if (random.next() < 0.15) {
    const form = randomPick(random, ['seconds', 'date', 'absent', 'garbage'] as const);
    return { kind: 'throttle', milliseconds: randomInteger(random, 1_000, 60_000), form };
  }
  const times = randomInteger(random, 1, 6);
  return { kind: 'whim', match: randomPick(random, MATCHES), fault: randomPick(random, FAULTS), times };
}

export function drawMeddling(random: Random): Meddle {
  return { kind: 'meddle', what: randomPick(random, MEDDLINGS), pick: randomInteger(random, 0, 1_000) };
}

export function whim({ azure }: World, edit: Whim): void {
  if (edit.kind === 'whim') azure.faults.next(edit.match, edit.fault, edit.times);
  else azure.faults.throttle({}, edit.milliseconds, edit.form);
}

/** Azure refuses a person, too, as while it is busy: then some of it, or all, has not happened. */
export function meddle(world: World, { what, pick }: Meddle): void {
  world.meddling.acts += 1;
  try {
    act(world, what, pick);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function act(world: World, what: Meddle['what'], pick: number): void {
  const { azure, meddling, neighbours } = world;
  if (what === 'detach the subnet') {
    const { serviceGateway: _, ...properties } = objectAt(azure.byHand({ method: 'GET', path: SUBNET }), 'properties');
    azure.byHand({ method: 'PUT', path: SUBNET, body: { properties } });
    return;
  }
  const { services } = azure.gateway(GATEWAY);
  const ours = [...services.values()].filter(({ name, owner }) => owner === 'client' && !neighbours.ownsService(name));
  const name = ours[pick % Math.max(1, ours.length)]?.name;
  if (name === undefined) return;
  switch (what) {
    case 'put an address under a service':
      meddling.stuffed.add(name);
      updatePlaces(azure, [{ address: '10.3.0.1', location: '10.0.0.1', services: [name] }]);
      return;
    case 'change a load balancer':
      changeLoadBalancer(azure, name);
      return;
    case 'take an address away':
      meddling.robbed.add(name);
      updatePlaces(azure, placesWithout(azure, name).slice(0, 1));
      return;
    case 'unregister a service':
      meddling.robbed.add(name);
      unregister(azure, name);
      return;
    case 'delete all of a service':
      meddling.robbed.add(name);
      unregister(azure, name);
      for (const id of [loadBalancerId(name), natGatewayId(name), ...addressNames(name).map(publicIpId)])
        azure.byHand({ method: 'DELETE', path: id });
  }
}

/** Needs the gateway. */
export function arrive({ azure, neighbours, meddling }: World, { who }: Arrival): void {
  if (azure.resource(GATEWAY) === undefined) return;
  meddling.acts += 1;
  if (who === 'neighbours') neighbours.moveIn(true, '10.1.0.4');
  else makeLeftovers(azure, 'in the gateway');
}

interface PlaceUpdate {
  readonly address: string;
  readonly location: string;
  readonly services: readonly string[];
}

/** The places that name the service, without it. */
function placesWithout(azure: ArmEmulator, name: string): readonly PlaceUpdate[] {
  return [...azure.gateway(GATEWAY).locations].flatMap(([location, addresses]) =>
    [...addresses].flatMap(([address, names]) =>
      names.includes(name) ? { address, location, services: names.filter((other) => other !== name) } : [],
    ),
  );
}

function updatePlaces(azure: ArmEmulator, updates: readonly PlaceUpdate[]): void {
  for (const { address, location: addressLocation, services } of updates) {
    const addressLocations = [{ addressLocation, addresses: [{ address, services }] }];
    const body = { action: 'PartialUpdate', addressLocations };
    azure.byHand({ method: 'POST', path: `${GATEWAY}/updateAddressLocations`, body });
  }
}

function unregister(azure: ArmEmulator, name: string): void {
  updatePlaces(azure, placesWithout(azure, name));
  const body = { action: 'PartialUpdate', serviceRequests: [{ isDelete: true, service: { name } }] };
  azure.byHand({ method: 'POST', path: `${GATEWAY}/updateServices`, body });
}

function changeLoadBalancer(azure: ArmEmulator, name: string): void {
  const found = azure.resource(loadBalancerId(name));
  if (found === undefined) return;
  const properties = { ...objectAt(found, 'properties'), loadBalancingRules: [] };
  azure.byHand({ method: 'PUT', path: loadBalancerId(name), body: { ...found, properties } });
}

export function describeAzureEdit(edit: Whim | Meddle | Arrival): string {
  switch (edit.kind) {
    case 'throttle':
      return `Azure throttles for ${edit.milliseconds} ms, Retry-After ${edit.form}`;
    case 'whim': {
      const { method = 'any', kind = 'any' } = edit.match;
      const status = 'status' in edit.fault ? ` ${edit.fault.status}` : '';
      return `Azure: ${edit.fault.kind}${status} for the next ${edit.times} of ${method} ${kind}`;
    }
    case 'arrival':
      return `the gateway has ${edit.who}`;
    case 'meddle':
      return `by hand: ${edit.what} (${edit.pick})`;
  }
}
