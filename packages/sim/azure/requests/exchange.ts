import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { Refusal } from './refusal.ts';
import type { Target } from './target.ts';

/** A request that was understood. */
export interface ArmRequest {
  readonly method: string;
  readonly target: Target;
  /** Scheme, host and port: links lead back there. */
  readonly origin: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
  /** The operation that this starts is to end in this failure. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** Done by hand: at once, however long Azure takes for others. */
  readonly instant?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
}

export const ok = (body: JsonObject): Answer => ({ status: 200, headers: {}, body });
export const nothing: Answer = { status: 204, headers: {}, body: undefined };

export function requireBody(request: ArmRequest): JsonObject {
  if (request.body !== undefined) return request.body;
  throw new Refusal(400, 'InvalidRequestContent', 'The request needs a JSON object as its body.');
}

/** The body as an object, or undefined when there is none. */
export function parseBody(text: string | undefined): JsonObject | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Told below, in Azure's words.
  }
  throw new Refusal(400, 'InvalidRequestContent', 'The request content was invalid and could not be deserialized.');
}
