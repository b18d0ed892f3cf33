import type { z } from 'zod';

type ValueSchema = z.core.JSONSchema.BaseSchema;

/** What a part is told is on the page of the part. */
const LEFT_TO_PAGES = 'configuration.parts';

/** The README of the chart: every value, its default, and what its comment says. */
export function readmeFile(schema: ValueSchema, description: string): string {
  return [
    '# The chart of Fairlead',
    '',
    '<!-- Made by `npm run generate` from the values and their comments. -->',
    '',
    `${description}.`,
    '',
    '```sh',
    'helm install fairlead deploy/chart/fairlead --namespace fairlead-system --create-namespace --values values.yaml',
    '```',
    '',
    'with, at the least, an image and a part:',
    '',
    '```yaml',
    'image: {repository: …}        # where you pushed what deploy/Containerfile builds',
    'configuration:',
    '  parts:',
    '    gateway: {addresses: [192.0.2.10-192.0.2.40]}',
    '```',
    '',
    'docs/deploy.md goes through an installation, and the pages of the parts through what each of them is told under',
    '`configuration.parts`.',
    '',
    '| value | default | what it is for |',
    '|---|---|---|',
    ...rowsOf(schema, ''),
    '',
  ].join('\n');
}

function rowsOf(schema: ValueSchema, path: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    if (typeof child === 'boolean') return [];
    const whole = path === '' ? name : `${path}.${name}`;
    const hasBelow = child.properties !== undefined && whole !== LEFT_TO_PAGES;
    const meaning = [child.description ?? '', child.enum === undefined ? '' : `One of ${child.enum.join(', ')}.`];
    const told = meaning.filter((sentence) => sentence !== '').join(' ');
    const row = `| \`${whole}\` | ${hasBelow ? '' : defaultText(child.default)} | ${told.replaceAll('|', '\\|')} |`;
    return [...(hasBelow && told === '' ? [] : [row]), ...(hasBelow ? rowsOf(child, whole) : [])];
  });
}

function defaultText(value: unknown): string {
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``;
}
