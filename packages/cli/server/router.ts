/** An answer of the status server. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Who asks, as far as the request shows it. */
export interface Caller {
  readonly token: string | undefined;
  /** On the same machine, or behind a tunnel that ends there. */
  readonly isLocal: boolean;
  /** Where the request comes from: an IP address. */
  readonly address: string;
}

/** Answers a path, or undefined when it is not its own. `rest` is what follows the prefix, without the slash. */
export type Route = (rest: string, caller: Caller) => Promise<Answer | undefined>;

export const text = (status: number, body: string): Answer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body: `${body}\n`,
});

export const json = (value: unknown): Answer => ({
  status: 200,
  contentType: 'application/json',
  body: `${JSON.stringify(value, null, 2)}\n`,
});

/** Finds the route with the longest prefix of the path. A path nobody knows gets the list of those there are. */
export async function route(routes: ReadonlyMap<string, Route>, url: string, caller: Caller): Promise<Answer> {
  const [target = ''] = url.split('?', 1);
  const path = withoutEnd(decoded(target));
  if (path === undefined) return text(400, 'the path has a % that begins no character');
  const prefixes = [...routes.keys()].toSorted((left, right) => right.length - left.length);
  for (const prefix of prefixes) {
    if (path !== prefix && !path.startsWith(`${prefix}/`)) continue;
    const answer = await routes.get(prefix)?.(path.slice(prefix.length + 1), caller);
    if (answer !== undefined) return answer;
  }
  return text(404, `nothing is served at ${path === '' ? '/' : path}; there is ${[...routes.keys()].join(', ')}`);
}

/** Without the slashes at its end. */
function withoutEnd(path: string | undefined): string | undefined {
  let end = path?.length ?? 0;
  while (path?.[end - 1] === '/') end -= 1;
  return path?.slice(0, end);
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
