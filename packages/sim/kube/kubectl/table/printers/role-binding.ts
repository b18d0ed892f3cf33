import { listOf, objectOf, textOf } from '../../../../json.ts';
import { printer } from '../printer.ts';

export const roleBindingPrinter = printer(
  ['Role'],
  ({ roleRef }) => {
    const { kind, name } = objectOf(roleRef);
    return [`${textOf(kind)}/${textOf(name)}`];
  },
  ['Users', 'Groups', 'ServiceAccounts'],
  ({ subjects }) => {
    const all = listOf(subjects).map(objectOf);
    const named = (kind: string): readonly string[] =>
      all
        .filter((subject) => subject.kind === kind)
        .map(({ namespace, name }) => [textOf(namespace), textOf(name)].filter((part) => part !== '').join('/'));
    return ['User', 'Group', 'ServiceAccount'].map((kind) => named(kind).join(', '));
  },
);
