import { FairleadError } from '@fairlead/control';
import { z } from 'zod';
import {
  frontend,
  type Generation,
  generation,
  isAfter,
  isSameGeneration,
  type VirtualServer,
  virtualServer,
} from '../../protocol/configuration.ts';
import { applyChanges, byFrontend, type Changes, type VirtualServers } from '../../protocol/delta.ts';
import type { StateFolder } from './node.ts';

const SNAPSHOT = 'configuration.json';
const LOG = 'changes.log';
/** The log is folded into the snapshot when it is longer than that and than this. */
const LOG_CHARACTERS = 1_000_000;

const snapshot = z.strictObject({
  generation: generation.optional(),
  highestEpoch: z.int().min(0),
  virtualServers: z.array(virtualServer),
});

type Snapshot = z.infer<typeof snapshot>;

const entry = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('begun'),
    generation,
    put: z.array(virtualServer),
    remove: z.array(frontend),
  }),
  z.strictObject({ kind: z.literal('done'), generation }),
  z.strictObject({ kind: z.literal('undone'), generation }),
  z.strictObject({ kind: z.literal('leader'), epoch: z.int().min(0) }),
]);
type Entry = z.infer<typeof entry>;

/** A change of which it is not known whether it came to be: the process died on the way. */
export interface InterruptedChange {
  readonly generation: Generation;
  readonly changes: Changes;
}

export interface StoredState {
  /** What was taken last; absent before the first time. */
  readonly generation?: Generation;
  /** Of the leaders that ever sent something, also what failed: an older one is not listened to again. */
  readonly highestEpoch: number;
  readonly virtualServers: VirtualServers;
  readonly begun?: InterruptedChange;
}

/**
 * What the agent serves, on disk: a snapshot, and a log of the changes since, so that a small change costs a small
 * write. A change is in the log before anything of it happens.
 */
export class StateLog {
  readonly #folder: StateFolder;
  #logCharacters = 0;
  #snapshotCharacters = 0;

  constructor(folder: StateFolder) {
    this.#folder = folder;
  }

  async load(): Promise<StoredState> {
    const text = await this.#folder.read(SNAPSHOT);
    const kept: Snapshot = text === undefined ? { highestEpoch: 0, virtualServers: [] } : readSnapshot(text);
    this.#snapshotCharacters = text?.length ?? 0;
    const log = (await this.#folder.read(LOG)) ?? '';
    this.#logCharacters = log.length;
    const replay = new Replay(kept);
    for (const one of entriesOf(log)) replay.follow(one);
    return replay.state();
  }

  /** If the process dies after this, the kernel tells at the next start whether it came to be. */
  begin(begun: InterruptedChange): Promise<void> {
    const { put, remove } = begun.changes;
    return this.#append({ kind: 'begun', generation: begun.generation, put: [...put], remove: [...remove] });
  }

  /** From here on it is what the agent took. */
  done(of: Generation): Promise<void> {
    return this.#append({ kind: 'done', generation: of });
  }

  /** Of a leader that announced itself. */
  leader(epoch: number): Promise<void> {
    return this.#append({ kind: 'leader', epoch });
  }

  undone(of: Generation): Promise<void> {
    return this.#append({ kind: 'undone', generation: of });
  }

  get isLong(): boolean {
    return this.#logCharacters > Math.max(LOG_CHARACTERS, this.#snapshotCharacters);
  }

  /** Folds the log into the snapshot. If the process dies in between, the log repeats what the snapshot has. */
  async fold(state: Omit<StoredState, 'begun'>): Promise<void> {
    const { generation: taken, highestEpoch, virtualServers } = state;
    const kept = { ...(taken === undefined ? {} : { generation: taken }), highestEpoch };
    const text = JSON.stringify({ ...kept, virtualServers: [...virtualServers.values()] });
    await this.#folder.replace(SNAPSHOT, text);
    this.#snapshotCharacters = text.length;
    await this.#folder.replace(LOG, '');
    this.#logCharacters = 0;
  }

  async #append(one: Entry): Promise<void> {
    // A line that a full disk cut short must not take the next one with it.
    const text = `\n${JSON.stringify(one)}\n`;
    await this.#folder.append(LOG, text);
    this.#logCharacters += text.length;
  }
}

/** Goes through the log, entry by entry; each costs what it changed. */
class Replay {
  readonly #virtualServers: Map<string, VirtualServer>;
  #generation: Generation | undefined;
  #highestEpoch: number;
  #begun: InterruptedChange | undefined;
  /** Done, and to be forgotten if the next entry says so: a disk may take a line and say that it did not. */
  #done: InterruptedChange | undefined;

  constructor({ generation: taken, highestEpoch, virtualServers }: Snapshot) {
    this.#virtualServers = new Map(byFrontend(virtualServers));
    this.#generation = taken;
    this.#highestEpoch = highestEpoch;
  }

  follow(one: Entry): void {
    if (one.kind === 'leader') {
      this.#highestEpoch = Math.max(this.#highestEpoch, one.epoch);
      return;
    }
    const taken = this.#generation;
    // Of before the snapshot: the process died before the log was emptied.
    if (taken !== undefined && !isAfter(one.generation, taken)) return;
    const isOf = (begun: InterruptedChange | undefined) =>
      begun !== undefined && isSameGeneration(begun.generation, one.generation);
    switch (one.kind) {
      case 'begun':
        this.#settle();
        this.#highestEpoch = Math.max(this.#highestEpoch, one.generation.epoch);
        this.#begun = { generation: one.generation, changes: one };
        return;
      case 'done':
        if (isOf(this.#begun)) this.#done = this.#begun;
        this.#begun = undefined;
        return;
      case 'undone':
        if (isOf(this.#done)) this.#done = undefined;
        this.#begun = undefined;
    }
  }

  state(): StoredState {
    this.#settle();
    return {
      ...(this.#generation === undefined ? {} : { generation: this.#generation }),
      highestEpoch: this.#highestEpoch,
      virtualServers: this.#virtualServers,
      ...(this.#begun === undefined ? {} : { begun: this.#begun }),
    };
  }

  #settle(): void {
    const done = this.#done;
    if (done === undefined) return;
    this.#done = undefined;
    this.#generation = done.generation;
    applyChanges(this.#virtualServers, done.changes);
  }
}

function entriesOf(log: string): readonly Entry[] {
  return log.split('\n').flatMap((line) => {
    if (line === '') return [];
    try {
      return [entry.parse(JSON.parse(line))];
    } catch {
      // The disk was full, or the power went, before all of it was there: nothing of it had happened yet.
      return [];
    }
  });
}

function readSnapshot(text: string): Snapshot {
  try {
    return snapshot.parse(JSON.parse(text));
  } catch (cause) {
    throw new FairleadError(
      `${SNAPSHOT} in the state folder is damaged: remove the folder's files; the controller sends all of it again`,
      { verdict: 'terminal', code: 'state-damaged', cause },
    );
  }
}
