import { type HttpRequest, readText } from '@fairlead/control';
import { type JsonObject, objectOf, parseJson, textOf, valueAt } from '../../json.ts';
import type { ArmEmulator } from '../emulator.ts';

export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** One exchange with the emulator; `path` may be a link it gave. */
export async function send(
  emulator: ArmEmulator,
  method: HttpRequest['method'],
  path: string,
  body?: JsonObject,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const url = path.startsWith('https:') ? path : `https://arm.test${path}?api-version=2026-01-01`;
  const response = await emulator.send({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await readText(response);
  return { status: response.status, headers: response.headers, body: text === '' ? {} : objectOf(parseJson(text)) };
}

/** Azure's word for a refusal. */
export const code = ({ body }: Sent) => textOf(valueAt(body, 'error', 'code'));
export const stateOf = (body: JsonObject) => valueAt(body, 'properties', 'provisioningState');
