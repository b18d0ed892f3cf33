import type { HttpRequest } from '@fairlead/control';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import { type Json, parseJson, parseSpelled } from '../../json.ts';
import { unsupportedMediaType } from '../failure.ts';

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** The media type of the body, without its parameters. */
export function contentTypeOf({ headers }: HttpRequest): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase();
}

export type Parsed = { readonly value: Json } | { readonly problem: string };

/** Reads a body that holds an object. Throws for a media type that cannot. */
export function parseBody(request: HttpRequest): Parsed {
  const type = contentTypeOf(request);
  const text = request.body ?? '';
  if (type === 'application/yaml') return parseYamlText(text);
  if (type === 'application/json' || type === '') return parseJsonText(text);
  throw unsupportedMediaType(OBJECT_TYPES);
}

/** `parse` is another one where the spelling of numbers does not count. */
export function parseJsonText(text: string, parse: (text: string) => Json = parseSpelled): Parsed {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: syntaxProblem(text, error) };
    throw error;
  }
}

/** What Go's decoder says about text that is no JSON. */
function syntaxProblem(text: string, { message }: SyntaxError): string {
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
  const character = text.slice(position, position + 1);
  if (character === '') return 'unexpected end of JSON input';
  const after = message.startsWith('Unexpected non-whitespace')
    ? 'after top-level value'
    : 'looking for beginning of value';
  return `invalid character '${character}' ${after}`;
}

/** YAML has no escapes for halves of characters. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

export function parseYamlText(text: string): Parsed {
  if (SURROGATE.test(text))
    return { problem: 'error converting YAML to JSON: yaml: found invalid Unicode character escape code' };
  const json = parseJsonText(text, parseJson);
  if ('value' in json) return json;
  try {
    const value: Json = parseYaml(text);
    return { value };
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    return { problem: `error converting YAML to JSON: yaml: line ${error.linePos?.[0].line ?? 1}: ${error.message}` };
  }
}
