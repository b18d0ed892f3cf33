import type { HttpRequest } from '@fairlead/control';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import { unsupportedMediaType } from '../failure.ts';
import { type Json, parseJson } from '../json.ts';

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** The media type of the body, without its parameters. */
export function contentTypeOf({ headers }: HttpRequest): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim();
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

export function parseJsonText(text: string): Parsed {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {
      problem: /end of JSON|Unterminated/.test(error.message) ? 'unexpected end of JSON input' : goSyntaxError(text),
    };
  }
}

/** Where Go's decoder would have stopped. */
function goSyntaxError(text: string): string {
  const [first = ''] = text.trimStart();
  return `invalid character '${first}' looking for beginning of value`;
}

export function parseYamlText(text: string): Parsed {
  const json = parseJsonText(text);
  if ('value' in json) return json;
  try {
    const value: Json = parseYaml(text);
    return { value };
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    return { problem: `error converting YAML to JSON: yaml: line ${error.linePos?.[0].line ?? 1}: ${error.message}` };
  }
}
