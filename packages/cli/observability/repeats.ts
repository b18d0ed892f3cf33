import type { Clock, LogFields, Logger } from '@fairlead/control';

/** Which lines are the same, and for how long they are gathered. */
export interface RepeatRule {
  readonly windowMilliseconds: number;
  /** A field in which lines may differ; their values of it are told together. */
  readonly apartFrom?: string;
}

/** Of a field in which lines differ, in one line. */
const MOST_VALUES = 100;

interface Gathered {
  count: number;
  readonly values: Set<unknown>;
  /** What is printed when there was only one. */
  last: LogFields;
}

/**
 * A hundred equal warnings are one with a count: the first is printed at once, and what follows within the window is one
 * line at its end. Lines at debug and info pass.
 */
export class Repeats {
  readonly #clock: Clock;
  readonly #rule: RepeatRule;
  /** What makes lines the same -> what came since the last one that was printed, and how to print it. */
  readonly #groups = new Map<string, { gathered: Gathered | undefined; readonly print: (fields: LogFields) => void }>();

  constructor(clock: Clock, rule: RepeatRule) {
    this.#clock = clock;
    this.#rule = rule;
  }

  /** A logger that gathers before this one. */
  before(logger: Logger, inherited: LogFields = {}): Logger {
    const gathering = (level: 'warn' | 'error') => (fields: LogFields, message: string) => {
      const key = this.#keyOf(level, { ...inherited, ...fields }, message);
      this.#take(key, fields, (printed) => logger[level](printed, message));
    };
    return {
      debug: (fields, message) => logger.debug(fields, message),
      info: (fields, message) => logger.info(fields, message),
      warn: gathering('warn'),
      error: gathering('error'),
      child: (fields) => this.before(logger.child(fields), { ...inherited, ...fields }),
    };
  }

  /** Prints what was gathered, before the process ends. */
  flush(): void {
    for (const group of this.#groups.values()) this.#print(group);
    this.#groups.clear();
  }

  #take(key: string, fields: LogFields, print: (fields: LogFields) => void): void {
    const group = this.#groups.get(key);
    if (group === undefined) {
      print(fields);
      this.#open(key, print);
      return;
    }
    const gathered = (group.gathered ??= { count: 0, values: new Set(), last: fields });
    gathered.count += 1;
    gathered.last = fields;
    const { apartFrom } = this.#rule;
    if (apartFrom === undefined) return;
    gathered.values.add(fields[apartFrom]);
    if (gathered.values.size < MOST_VALUES) return;
    // Each object is named once: what no longer fits into this line goes into another.
    this.#print(group);
    group.gathered = undefined;
  }

  #open(key: string, print: (fields: LogFields) => void): void {
    const group = { gathered: undefined, print };
    this.#groups.set(key, group);
    this.#clock.setTimer(this.#rule.windowMilliseconds, () => {
      if (this.#groups.get(key) !== group) return;
      const isOver = group.gathered === undefined;
      this.#print(group);
      if (isOver) this.#groups.delete(key);
      else this.#open(key, print);
    });
  }

  #print({ gathered, print }: { gathered: Gathered | undefined; readonly print: (fields: LogFields) => void }): void {
    if (gathered === undefined) return;
    const { count, values, last } = gathered;
    const { apartFrom } = this.#rule;
    if (count === 1) return print(last);
    print({ ...last, ...(apartFrom === undefined ? {} : { [apartFrom]: [...values] }), count });
  }

  #keyOf(level: string, fields: LogFields, message: string): string {
    const { apartFrom } = this.#rule;
    const same = Object.entries(fields).filter(([name]) => name !== apartFrom);
    return JSON.stringify([level, message, same.map(([name, value]) => [name, textOf(value)])]);
  }
}

/** Of an Error, JSON shows nothing. */
function textOf(value: unknown): string {
  return value instanceof Error ? `${value.name}: ${value.message}` : (JSON.stringify(value) ?? '');
}
