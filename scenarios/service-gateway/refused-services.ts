import { findCondition, keyText, type Service, services } from '@fairlead/kube';
import type { Sight } from './sight.ts';
import { PROGRAMMED } from './site.ts';
import { isOurs, isRefused, showsAddress, uidOf } from './wanted.ts';

/**
 * How far the refusal of a Service has come. `told`: the leader has said so while the Service showed no address, and had
 * these places in the gateway. `void`: it may have been served before, or was not refused all the time, so that what was
 * on its way explains every address.
 */
type Refusal = { readonly kind: 'void' } | { readonly kind: 'told'; readonly places: ReadonlySet<string> };

const VOID: Refusal = { kind: 'void' };

/** No traffic is let in to a Service that would have kept it out: neither an address of its own nor one of a pod enters. */
export class RefusedServices {
  readonly #refusals = new Map<string, Refusal>();

  entered(sight: Sight): string | undefined {
    for (const service of sight.world.objects(services)) {
      const uid = uidOf(service);
      const before = this.#refusals.get(uid);
      if (before?.kind === 'void' || sight.world.meddling.stuffed.has(uid)) continue;
      const after = progress(before, service, sight);
      if (after === undefined) continue;
      this.#refusals.set(uid, after);
      if (before?.kind !== 'told' || after.kind !== 'told') continue;
      const name = keyText(service.metadata);
      if (showsAddress(service)) return `${name} is refused and showed no address, and does now`;
      const entered = [...after.places].find((place) => !before.places.has(place));
      if (entered !== undefined) return `${name} is refused and showed no address, and ${entered} came under it`;
    }
    return undefined;
  }
}

function progress(before: Refusal | undefined, service: Service, { named }: Sight): Refusal | undefined {
  const isStill = isOurs(service) && isRefused(service);
  if (before === undefined) {
    if (!isStill) return showsAddress(service) ? VOID : undefined;
    // The leader that says so has seen what it asks for.
    if (findCondition(service, PROGRAMMED)?.reason.endsWith('Unsupported') !== true) return undefined;
    if (showsAddress(service)) return VOID;
  }
  if (!isStill) return VOID;
  const uid = uidOf(service);
  return { kind: 'told', places: new Set([...named].flatMap(([place, names]) => (names.includes(uid) ? place : []))) };
}
