import type { Json, JsonObject } from '../../../json.ts';
import { badRequest } from '../../failure.ts';
import type { ServedKind } from '../../kinds/kind.ts';
import { asKubeObject, type KubeObject } from '../../object.ts';
import { bookmarkLine, bookmarkObject, listMetadata, type Presentation, served } from '../../server/presentation.ts';
import type { Page } from '../../server/reads/list.ts';
import type { ServerState } from '../../server/state.ts';
import type { StoredObject } from '../../store/stored-object.ts';
import { invalidValue, problemText } from '../../validation/field-problem.ts';
import type { Printer } from './printer.ts';
import { printerOf } from './printers.ts';

const TABLE = { kind: 'Table', apiVersion: 'meta.k8s.io/v1' };
const PARTIAL = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
const encoder = new TextEncoder();

/** Objects as rows of a table, for one request: of a watch only the first event names the columns. */
export class Tables implements Presentation {
  readonly #state: Pick<ServerState, 'clock' | 'store'>;
  readonly #query: URLSearchParams;
  #namedColumns = false;

  constructor(state: Pick<ServerState, 'clock' | 'store'>, query: URLSearchParams) {
    this.#state = state;
    this.#query = query;
  }

  answers(as: string | undefined): boolean {
    return as === 'Table';
  }

  object(kind: ServedKind, stored: StoredObject): string {
    return JSON.stringify(this.#tableOf(kind, [stored], { resourceVersion: String(stored.resourceVersion) }));
  }

  list(kind: ServedKind, page: Page): string {
    return JSON.stringify(this.#tableOf(kind, page.items, listMetadata(page)));
  }

  event(kind: ServedKind, type: string, stored: StoredObject): Uint8Array {
    const table = this.#tableOf(kind, [stored], { resourceVersion: String(stored.resourceVersion) });
    return encoder.encode(`${JSON.stringify({ type, object: this.#withColumnsOnce(table) })}\n`);
  }

  bookmark(kind: ServedKind, resourceVersion: number, endOfInitialEvents: boolean): Uint8Array {
    const printer = printerOf(kind, this.#state.store);
    const object = asKubeObject(bookmarkObject(kind, resourceVersion, endOfInitialEvents));
    const cells = printer.cells(object, this.#state.clock.now()).map((cell) => cell ?? '');
    const rows = [{ cells, object: { ...PARTIAL, metadata: object.metadata } }];
    const metadata = { resourceVersion: String(resourceVersion) };
    return bookmarkLine(this.#withColumnsOnce({ ...TABLE, metadata, columnDefinitions: columnsOf(printer), rows }));
  }

  #tableOf(kind: ServedKind, items: readonly StoredObject[], metadata: JsonObject): JsonObject {
    const printer = printerOf(kind, this.#state.store);
    const now = this.#state.clock.now();
    const include = includedObject(this.#query);
    const rows = items.map((stored) => rowOf(printer, stored.object, include(kind, stored), now));
    return { ...TABLE, metadata, columnDefinitions: columnsOf(printer), rows };
  }

  #withColumnsOnce(table: JsonObject): JsonObject {
    if (this.#namedColumns) return { ...table, columnDefinitions: null };
    this.#namedColumns = true;
    return table;
  }
}

function columnsOf({ columns }: Printer): Json {
  return columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

function rowOf(printer: Printer, printed: KubeObject, object: Json, now: number): JsonObject {
  const conditions = printer.conditions?.(printed) ?? [];
  const cells = printer.cells(printed, now);
  return conditions.length === 0 ? { cells, object } : { cells, conditions, object };
}

type Include = (kind: ServedKind, stored: StoredObject) => Json;

/** How much of each object comes with its row. */
function includedObject(query: URLSearchParams): Include {
  const asked = query.get('includeObject') ?? '';
  switch (asked) {
    case 'None':
      return () => null;
    case 'Object':
      return (kind, stored) => served(kind, stored).object;
    case 'Metadata':
    case '':
      return (_, { object }) => ({ ...PARTIAL, metadata: object.metadata });
    default: {
      const problem = invalidValue('includeObject', asked, "must be 'Metadata', 'Object', 'None', or empty");
      const detail = `${problem.field}: ${problemText(problem)}`;
      throw badRequest(`Unable to convert to Table as requested: ${detail}`);
    }
  }
}
