import type { Clock, Random } from '@fairlead/control';
import type { KindContext } from '../kinds/kind.ts';
import type { ServiceAllocator } from '../kinds/service/allocation.ts';
import type { Registry } from '../registry.ts';
import { secondsText } from '../schema/formats.ts';
import type { Store } from '../store/store.ts';

/** What every request works on. */
export interface ServerState {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly registry: Registry;
  readonly services: ServiceAllocator;
}

export function nowText({ clock }: ServerState): string {
  return secondsText(clock.now());
}

export function kindContext(state: ServerState, dryRun: boolean, warnings: string[]): KindContext {
  const { store, random, services } = state;
  return { store, random, services, dryRun, now: nowText(state), warn: (message) => void warnings.push(message) };
}
