import type { Service } from '@fairlead/kube';
import type { Sight } from './sight.ts';
import { type PlaceText, showsAddress, type Wanted } from './wanted.ts';

/**
 * How far a wish for a place has come. `inherited`: the place was in service already when the wish came, by a pod, or a
 * node of the same address, before it. `void`: it was interrupted, so that a late answer to that explains every gap.
 */
type Progress = { readonly kind: 'inherited' | 'waiting' | 'void' } | { readonly kind: 'served'; readonly by: string };

const INHERITED: Progress = { kind: 'inherited' };
const WAITING: Progress = { kind: 'waiting' };
const VOID: Progress = { kind: 'void' };

/**
 * An address that is in service stays so for as long as the cluster wants it without interruption: under its Service,
 * and under the egress gateway that its pod names now or has just left.
 */
export class Continuity {
  /** `owner place` -> how far it is. */
  readonly #endpoints = new Map<string, Progress>();
  readonly #pods = new Map<string, Progress>();
  readonly #nodes = new NodeHistory();

  gap(sight: Sight): string | undefined {
    this.#nodes.follow(sight.wanted);
    return this.#gapOfService(sight) ?? this.#gapOfPod(sight);
  }

  #gapOfService({ wanted, named, world }: Sight): string | undefined {
    const wishes = new Set<string>();
    for (const [place, { inbound }] of wanted.places) {
      for (const [uid, node] of inbound) {
        if (isUnheardOf(wanted.refused.get(uid))) continue;
        const wish = `${uid} ${place} ${node}`;
        wishes.add(wish);
        const found = named.get(place)?.includes(uid) === true ? uid : undefined;
        const before = this.#before(this.#endpoints.get(wish), found, node, place);
        const isRobbed = world.meddling.robbed.has(uid);
        if (before.kind === 'served' && found === undefined && !isRobbed) {
          return `${place} is an endpoint of ${uid}, and no longer under it`;
        }
        this.#endpoints.set(wish, progress(before, found, uid));
      }
    }
    voidAllBut(wishes, this.#endpoints);
    return undefined;
  }

  #gapOfPod(sight: Sight): string | undefined {
    const { wanted, world } = sight;
    const wishes = new Set<string>();
    const claims = new Map<PlaceText, number>();
    for (const { places } of wanted.pods) for (const place of places) claims.set(place, (claims.get(place) ?? 0) + 1);
    for (const { uid, egress, places, pod } of wanted.pods) {
      if (pod.metadata.deletionTimestamp !== undefined) continue;
      for (const place of places) {
        // A new leader cannot tell such a place from one that a pod has left behind, which passes on nothing.
        const [address = ''] = place.split('@');
        if (claims.get(place) !== 1 || wanted.unlocated.has(address)) continue;
        const wish = `${uid} ${place}`;
        wishes.add(wish);
        const found = sight.egressAt(place);
        const before = this.#before(this.#pods.get(wish), found, pod.spec.nodeName, place);
        const isRobbed = before.kind === 'served' && world.meddling.robbed.has(before.by);
        if (before.kind === 'served' && found === undefined && !isRobbed) {
          return `${pod.metadata.name} at ${place} left by ${before.by}, and now by nothing of its own`;
        }
        this.#pods.set(wish, progress(before, found, egress));
      }
    }
    voidAllBut(wishes, this.#pods);
    return undefined;
  }

  #before(
    known: Progress | undefined,
    found: string | undefined,
    node: string | undefined,
    place: PlaceText,
  ): Progress {
    if (known !== undefined && known.kind !== 'waiting') return known;
    if (this.#nodes.mayMislead(node, place)) return VOID;
    return known ?? (found === undefined ? WAITING : INHERITED);
  }
}

/**
 * The addresses that nodes have, and have had. A leader whose watch fell silent may put an endpoint in the right place by
 * chance: by an address that its node had before and has again, or by another node of that address, on which the endpoint
 * was before. What happens there takes it away again, until the watch tells the leader more.
 */
class NodeHistory {
  readonly #here = new Set<string>();
  readonly #left = new Set<string>();
  #nodesAt = new Map<string, string[]>();
  #seen: Wanted | undefined;

  follow(wanted: Wanted): void {
    if (this.#seen === wanted) return;
    this.#seen = wanted;
    this.#nodesAt = new Map();
    const here = new Set<string>();
    for (const [node, at] of wanted.nodeAddresses) {
      for (const address of Object.values(at)) {
        here.add(`${node} ${address}`);
        this.#nodesAt.set(address, [...(this.#nodesAt.get(address) ?? []), node]);
      }
    }
    for (const one of this.#here) {
      if (here.has(one)) continue;
      this.#here.delete(one);
      this.#left.add(one);
    }
    for (const one of here) this.#here.add(one);
  }

  mayMislead(node: string | undefined, place: PlaceText): boolean {
    const address = place.slice(place.indexOf('@') + 1);
    const isShared = (this.#nodesAt.get(address) ?? []).some((other) => other !== node);
    return isShared || this.#left.has(`${node} ${address}`);
  }
}

function progress(before: Progress, found: string | undefined, egress: string): Progress {
  switch (before.kind) {
    case 'void':
      return VOID;
    case 'inherited':
      return found === undefined ? WAITING : INHERITED;
    case 'waiting':
      return found === egress ? { kind: 'served', by: egress } : WAITING;
    case 'served':
      return found === undefined ? WAITING : { kind: 'served', by: found };
  }
}

/**
 * Whether it is refused, and shows no address. A new leader does not serve it then, even where the one before had put
 * endpoints under it and died before it could show where: it would be open to everybody, and nobody can miss it yet. The
 * wish counts as interrupted: the Service may be asking for something else by the time that the endpoints leave.
 */
function isUnheardOf(refused: Service | undefined): boolean {
  return refused !== undefined && !showsAddress(refused);
}

function voidAllBut(wishes: ReadonlySet<string>, all: Map<string, Progress>): void {
  for (const [wish, { kind }] of all) if (kind !== 'void' && !wishes.has(wish)) all.set(wish, VOID);
}
