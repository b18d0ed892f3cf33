import { type Random, randomInteger, randomPick } from '@fairlead/control';
import type { Timed } from '@fairlead/sim';
import { type NeutronWorld, ourPorts, takeAway, textOf } from './neutron-world.ts';
import { applyServiceEdit, describeServiceEdit, drawServiceEdit, type ServiceEdit } from './service-edits.ts';

/** What users do, and what is done in the project beside us. */
export type NeutronEdit =
  | ServiceEdit
  /** No more ports, or floating IPs, than there are now; or as many as wanted. */
  | { readonly kind: 'quota'; readonly of: 'port' | 'floatingip'; readonly isMet: boolean }
  /** The tags of a port of ours, or of its floating IP, are lost; their descriptions stay. */
  | { readonly kind: 'untag'; readonly what: 'ports' | 'floatingips'; readonly index: number }
  /** Another program deletes one of them. */
  | { readonly kind: 'take-away'; readonly what: 'ports' | 'floatingips'; readonly index: number };

/** Addresses that may be those of floating IPs. */
const ASKED_FOR = ['203.0.113.2', '203.0.113.5', '10.0.0.7'];

export function drawNeutronEdits(random: Random, milliseconds: number): readonly Timed<NeutronEdit>[] {
  const edits = Array.from({ length: 50 }, () => ({
    at: randomInteger(random, 0, milliseconds),
    event: drawEdit(random),
  }));
  // Whatever was met is raised in the end.
  const raised = (['port', 'floatingip'] as const).map((of) => ({
    at: milliseconds - 1,
    event: { kind: 'quota', of, isMet: false } as const,
  }));
  return [...edits, ...raised];
}

function drawEdit(random: Random): NeutronEdit {
  const luck = random.next();
  if (luck < 0.8) return drawServiceEdit(random, ASKED_FOR);
  if (luck < 0.9) return { kind: 'quota', of: randomPick(random, ['port', 'floatingip']), isMet: random.next() < 0.6 };
  const kind = luck < 0.95 ? 'untag' : 'take-away';
  return { kind, what: randomPick(random, ['ports', 'floatingips']), index: randomInteger(random, 0, 3) };
}

export async function applyNeutronEdit(world: NeutronWorld, edit: NeutronEdit): Promise<void> {
  switch (edit.kind) {
    case 'quota':
      return setQuota(world, edit.of, edit.isMet);
    case 'untag':
      return untag(world, edit.what, edit.index);
    case 'take-away':
      return takeAway(world, edit.what, edit.index);
    case 'forge': {
      // A record names the ids of ports.
      const id = textOf(ourPorts(world)[0], 'id');
      return id === '' ? undefined : applyServiceEdit(world, { ...edit, address: id });
    }
    case 'create':
    case 'ports':
    case 'type':
    case 'sharing':
    case 'backup':
    case 'delete':
      return applyServiceEdit(world, edit);
  }
}

export function describeNeutronEdit(edit: NeutronEdit): string {
  if (edit.kind === 'quota') return `${edit.isMet ? 'allow no more' : 'allow any'} ${edit.of}`;
  if (edit.kind === 'untag') return `drop the tags of ${edit.what} ${edit.index}`;
  if (edit.kind === 'take-away') return `delete ${edit.what} ${edit.index} by hand`;
  return describeServiceEdit(edit);
}

function setQuota({ emulator, project }: NeutronWorld, of: 'port' | 'floatingip', isMet: boolean): void {
  const isIts = (one: Parameters<typeof textOf>[0]) => textOf(one, 'project_id') === project.id;
  const limit = isMet ? emulator.resources(`${of}s`).filter(isIts).length : -1;
  emulator.byHand({ method: 'PUT', path: `/quotas/${project.id}`, body: { quota: { [of]: limit } } });
}

function untag(world: NeutronWorld, what: 'ports' | 'floatingips', index: number): void {
  const ports = ourPorts(world);
  const ids = new Set(ports.map((port) => textOf(port, 'id')));
  const ours =
    what === 'ports' ? ports : world.emulator.resources(what).filter((one) => ids.has(textOf(one, 'port_id')));
  const id = textOf(ours[index], 'id');
  if (id !== '') world.emulator.byHand({ method: 'PUT', path: `/${what}/${id}/tags`, body: { tags: [] } });
}
