import { type JsonObject, listOf, objectOf, textOf, valueAt } from '../../../../json.ts';
import type { KubeObject } from '../../../object.ts';
import { ageOf } from '../age.ts';
import { column, NAME_COLUMN, numberOf, type Printer, wide } from '../printer.ts';

const OPERATORS = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
]);

function expressionText({ key, operator, values }: JsonObject): string {
  const name = textOf(key);
  if (operator === 'Exists') return name;
  if (operator === 'DoesNotExist') return `!${name}`;
  const listed = listOf(values).map(textOf).sort().join(',');
  return `${name} ${OPERATORS.get(textOf(operator)) ?? ''} (${listed})`;
}

/** A selector as `-l` takes it. */
function selectorText({ spec }: KubeObject): string {
  const selector = objectOf(valueAt(spec, 'selector'));
  const labels = Object.entries(objectOf(selector.matchLabels));
  const parts: readonly (readonly [string, string])[] = [
    ...labels.map(([name, value]) => [name, `${name}=${textOf(value)}`] as const),
    ...listOf(selector.matchExpressions).map(
      (each) => [textOf(objectOf(each).key), expressionText(objectOf(each))] as const,
    ),
  ];
  return parts
    .toSorted(([left], [right]) => (left < right ? -1 : Number(left > right)))
    .map(([, text]) => text)
    .join(',');
}

export const deploymentPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    ...['Ready', 'Up-to-date', 'Available', 'Age'].map((name) => column(name)),
    ...wide('Containers', 'Images', 'Selector'),
  ],
  cells(deployment, now) {
    const status = objectOf(deployment.status);
    const containers = listOf(valueAt(deployment.spec, 'template', 'spec', 'containers')).map(objectOf);
    return [
      deployment.metadata.name,
      `${numberOf(status.readyReplicas)}/${numberOf(valueAt(deployment.spec, 'replicas'))}`,
      numberOf(status.updatedReplicas),
      numberOf(status.availableReplicas),
      ageOf(deployment.metadata.creationTimestamp, now),
      containers.map(({ name }) => textOf(name)).join(','),
      containers.map(({ image }) => textOf(image)).join(','),
      selectorText(deployment),
    ];
  },
};
