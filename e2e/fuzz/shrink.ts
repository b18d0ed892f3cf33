import type { Json } from '@fairlead/sim/kube/contract';
import type { FuzzRequest } from './request.ts';

/** Tells whether so few requests still show the difference. */
type StillDiffers = (requests: readonly FuzzRequest[]) => Promise<boolean>;

const MOST_TRIALS = 60;

/** The fewest requests, with the least in them, that still differ. */
export async function shrink(
  requests: readonly FuzzRequest[],
  stillDiffers: StillDiffers,
): Promise<readonly FuzzRequest[]> {
  let trials = 0;
  const tried: StillDiffers = async (candidate) => {
    trials += 1;
    return trials <= MOST_TRIALS && (await stillDiffers(candidate));
  };
  const fewer = await fewerRequests(requests, tried);
  return smallerBodies(fewer, tried);
}

async function fewerRequests(
  requests: readonly FuzzRequest[],
  stillDiffers: StillDiffers,
): Promise<readonly FuzzRequest[]> {
  let current = requests;
  for (let size = Math.ceil(current.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = current.length - size; start >= 0; start -= size) {
      const candidate = current.toSpliced(start, size);
      if (candidate.length > 0 && (await stillDiffers(candidate))) current = candidate;
    }
  }
  return current;
}

async function smallerBodies(
  requests: readonly FuzzRequest[],
  stillDiffers: StillDiffers,
): Promise<readonly FuzzRequest[]> {
  let current = requests;
  for (const index of requests.keys()) {
    for (let progress = true; progress; ) {
      progress = false;
      const request = current[index];
      if (request === undefined) break;
      for (const candidate of smaller(request)) {
        const next = current.with(index, candidate);
        if (!(await stillDiffers(next))) continue;
        current = next;
        progress = true;
        break;
      }
    }
  }
  return current;
}

/** The request with one thing left out, in every way. */
function smaller(request: FuzzRequest): readonly FuzzRequest[] {
  const { path, body } = request;
  const [place = '', query = ''] = path.split('?', 2);
  const options = query === '' ? [] : query.split('&');
  const paths = options.map((_, index) => {
    const rest = options.toSpliced(index, 1).join('&');
    return { ...request, path: rest === '' ? place : `${place}?${rest}` };
  });
  return [...paths, ...smallerTexts(body ?? '').map((text) => ({ ...request, body: text }))];
}

/** Numbers are kept as they were written, which is why this works on text. */
function smallerTexts(text: string): readonly string[] {
  const kept: string[] = [];
  const marked = text.replaceAll(/(?<=[:[,])-?\d[\d.eE+]*(?=[,\]}])/g, (number) => {
    kept.push(number);
    return `"«${kept.length - 1}»"`;
  });
  let value: Json;
  try {
    value = JSON.parse(marked);
  } catch {
    return [];
  }
  const texts = parts(value).map((part) => JSON.stringify(part));
  return texts.map((part) => part.replaceAll(/"«(\d+)»"/g, (_, index: string) => kept[Number(index)] ?? ''));
}

function parts(value: Json): readonly Json[] {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return items.flatMap((item, index) => [
      items.toSpliced(index, 1),
      ...parts(item).map((part) => items.with(index, part)),
    ]);
  }
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  return entries.flatMap(([name, inner], index) => [
    Object.fromEntries(entries.toSpliced(index, 1)),
    ...parts(inner).map((part) => Object.fromEntries(entries.with(index, [name, part]))),
  ]);
}
