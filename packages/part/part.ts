import type { Clock, Journal, Logger, MetricDefinition, Metrics, Random } from '@fairlead/control';
import type { CacheFactory, CustomResourceDefinition, EventRecorder, KubeClient, Leadership } from '@fairlead/kube';
import type { z } from 'zod';
import type { DemoScene } from './demo.ts';
import type { Explanation, Subject } from './explanation.ts';
import type { Permission } from './permission.ts';
import type { PartPlan } from './plan.ts';
import type { ReadinessReport } from './readiness.ts';
import type { PartStatus } from './status.ts';

/** What a part may use to look at the world without changing it. */
export interface ReadEnvironment {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The load balancer class of Services that name none, if one was declared. */
  readonly defaultClass?: string;
  readonly signal: AbortSignal;
}

/** What a part may use while it leads. */
export interface RunEnvironment extends ReadEnvironment {
  readonly random: Random;
  readonly metrics: Metrics;
  readonly journal: Journal;
  readonly events: EventRecorder;
  /** Aborted the moment the Lease is lost; no call to the outside may start that it does not cover. */
  readonly leadership: Leadership;
  /** Caches of the cluster; they stop with the leadership. */
  readonly caches: CacheFactory;
  readonly readiness: ReadinessReport;
}

/** A part with its configuration: the four verbs. */
export interface ConfiguredPart {
  /** Runs the loops until `environment.signal` aborts or leadership ends. Rejects only when it cannot go on. */
  start(environment: RunEnvironment): Promise<void>;
  /** What it would do now, and in how many calls. Reads only. */
  plan(environment: ReadEnvironment): Promise<PartPlan>;
  /** Why the object is as it is, or undefined when this part has nothing to do with it. Reads only. */
  explain(environment: ReadEnvironment, subject: Subject): Promise<Explanation | undefined>;
  /** How it is doing. Reads only. */
  status(environment: ReadEnvironment): Promise<PartStatus>;
}

/** An extra command of a part: `fairlead <part> <name>`. Reads only. */
export interface PartCommand<Configuration> {
  readonly name: string;
  /** One sentence for `--help`. */
  readonly summary: string;
  run(configuration: Configuration, environment: ReadEnvironment, print: (line: string) => void): Promise<void>;
}

/** An Event a part emits; it becomes a row of the part's page. */
export interface EventDescription {
  readonly reason: string;
  readonly meaning: string;
}

/**
 * A part of Fairlead as the command line sees it. The configuration schema, the chart, the metrics page, `--help`,
 * `plan` and `why` are made from these values, so that a new part needs no change elsewhere.
 */
export interface Part {
  /** The key under `parts:` in the configuration file; also names the Lease and `/readyz/<name>`. */
  readonly name: string;
  /** One sentence for `--help`. */
  readonly summary: string;
  /** The class of Services it serves, where it serves any. */
  readonly loadBalancerClass?: string;
  readonly schema: z.ZodType;
  readonly permissions: readonly Permission[];
  readonly customResources: readonly CustomResourceDefinition[];
  readonly metrics: readonly MetricDefinition[];
  readonly events: readonly EventDescription[];
  /** The kinds that `fairlead why` can be asked about, in lower case, singular. */
  readonly explains: readonly string[];
  readonly commands: readonly PartCommand<unknown>[];
  readonly demo: DemoScene;
  /** Takes what the schema accepted. */
  configure(section: unknown): ConfiguredPart;
}

/** A part whose configuration has a type. */
export interface PartDefinition<Configuration> extends Omit<Part, 'schema' | 'commands' | 'configure'> {
  readonly schema: z.ZodType<Configuration>;
  readonly commands: readonly PartCommand<Configuration>[];
  configure(configuration: Configuration): ConfiguredPart;
}

/** Hides the configuration's type behind the schema, so that parts of different kinds fit in one list. */
export function definePart<Configuration>(definition: PartDefinition<Configuration>): Part {
  const { schema } = definition;
  return {
    ...definition,
    commands: definition.commands.map((command) => ({
      ...command,
      run: (section, environment, print) => command.run(schema.parse(section), environment, print),
    })),
    configure: (section) => definition.configure(schema.parse(section)),
  };
}
