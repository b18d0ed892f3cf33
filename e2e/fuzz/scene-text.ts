import { type FuzzRequest, isWatch, REFERENCE } from './request.ts';

const PATCHES: Readonly<Record<string, string>> = {
  'application/json-patch+json': 'jsonPatch',
  'application/merge-patch+json': 'mergePatch',
  'application/strategic-merge-patch+json': 'strategicPatch',
  'application/apply-patch+yaml': 'apply',
};

/** The requests as a scene, to paste into `packages/sim/kube/contract/scenes`. */
export function sceneText(seed: number, requests: readonly FuzzRequest[]): string {
  const lines = requests.map((request) => `    ${lineOf(request)}`);
  const start = requests.some(({ path, body = '' }) => `${path}${body}`.includes('<start>'))
    ? [`    const start = ${metadataOf('/api/v1/namespaces/<ns>/configmaps', 'resourceVersion')};`]
    : [];
  return [
    'const found: Scene = {',
    `  name: 'fuzz: seed ${seed}',`,
    '  async play(stage) {',
    ...start,
    ...lines,
    '  },',
    '};',
  ].join('\n');
}

function lineOf(request: FuzzRequest): string {
  const { method, path, body, ...options } = request;
  if (isWatch(request))
    return `await (await stage.watch(${literal(path)})).takeAll(); // close it when it has told enough`;
  const patch = PATCHES[options.contentType ?? ''];
  const plain = Object.keys(options).length === 0;
  if (method === 'GET' && plain) return `await stage.get(${literal(path)});`;
  if (method === 'POST' && plain) return `await stage.post(${literal(path)}, ${literal(body ?? '')});`;
  if (method === 'PATCH' && patch !== undefined && Object.keys(options).length === 1) {
    return `await stage.${patch}(${literal(path)}, ${literal(body ?? '')});`;
  }
  const given = plain ? '' : `, ${JSON.stringify(options)}`;
  const content = body === undefined && plain ? '' : `, ${body === undefined ? 'undefined' : literal(body)}`;
  return `await stage.call('${method}', ${literal(path)}${content}${given});`;
}

/** A template in which references are spelled out. */
function literal(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
  return `\`${escaped.replaceAll(REFERENCE, (_, reference: string) => `\${${expressionOf(reference)}}`)}\``;
}

function expressionOf(reference: string): string {
  if (reference === 'ns') return 'stage.namespace';
  if (reference === 'start') return 'start';
  const [what = '', path = ''] = reference.split(' ');
  return metadataOf(path, what === 'version' ? 'resourceVersion' : what);
}

function metadataOf(path: string, field: string): string {
  return `textOf(valueAt(await stage.quietly('GET', ${literal(path)}), 'metadata', '${field}'))`;
}
