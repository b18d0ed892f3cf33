import type { CustomResourceDefinition } from '@fairlead/kube';
import { stringify } from 'yaml';
import { z } from 'zod';
import { alertsTemplate } from './alerts-template.ts';
import { partsTemplate } from './parts-template.ts';
import type { Program } from './program.ts';
import { readmeFile } from './readme-file.ts';
import { valuesSchema } from './values.ts';
import { valuesFile } from './values-file.ts';

/** Older ones lack `ipMode` in the status of a Service. */
const OLDEST_KUBERNETES = '>=1.30.0-0';

const NOTE = '# Made by `npm run generate`: change what it is made from instead.\n';

/** The custom resource definitions: the template that renders them looks in a folder for each part. */
export const CUSTOM_RESOURCES = 'custom-resources';

/** Helm gives this to every chart that another one contains. */
const GLOBAL = { global: { type: 'object' } };

/** The files of the chart that follow from the program: path inside the chart -> content. */
export function chartFiles(whole: Program): ReadonlyMap<string, string> {
  const program = { ...whole, parts: whole.parts.filter(({ runsOn }) => runsOn !== 'node') };
  // Draft 7 is what every Helm understands.
  const schema = z.toJSONSchema(valuesSchema(program.parts), {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    // Values end in a ConfigMap: the chart refuses secrets, and does not name them either.
    override: ({ jsonSchema }) => {
      for (const secret of ['aadClientSecret', 'aadClientCertPassword']) delete jsonSchema.properties?.[secret];
    },
  });
  const withGlobal = { ...schema, properties: { ...schema.properties, ...GLOBAL } };
  return new Map([
    ['Chart.yaml', NOTE + stringify(chartDescription(program), { lineWidth: 0 })],
    ['values.yaml', `${NOTE}\n${valuesFile(schema)}`],
    ['values.schema.json', `${JSON.stringify(withGlobal, undefined, 2)}\n`],
    ['README.md', readmeFile(schema, program.description)],
    ['templates/_parts.tpl', partsTemplate(program)],
    ['templates/_alerts.tpl', alertsTemplate(program)],
    ...program.parts.flatMap((part) => part.customResources.map((definition) => customResource(part.name, definition))),
  ]);
}

function customResource(part: string, definition: CustomResourceDefinition): [string, string] {
  const path = `${CUSTOM_RESOURCES}/${part}/${definition.metadata.name}.yaml`;
  return [path, NOTE + stringify(kept(definition), { lineWidth: 0 })];
}

function chartDescription({ version, description }: Program): object {
  return {
    apiVersion: 'v2',
    name: 'fairlead',
    description,
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: OLDEST_KUBERNETES,
  };
}

/** Uninstalling the chart must not delete the definition: every object of the kind would go with it. */
function kept(definition: CustomResourceDefinition): object {
  const annotations = { ...definition.metadata.annotations, 'helm.sh/resource-policy': 'keep' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { ...definition.metadata, annotations },
    spec: definition.spec,
  };
}
