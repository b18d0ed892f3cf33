import { type FieldProblem, invalidValue } from './field-problem.ts';

export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function portNumberProblems(field: string, port: number): readonly FieldProblem[] {
  if (port >= 1 && port <= 65_535) return [];
  return [invalidValue(field, port, 'must be between 1 and 65535, inclusive')];
}

/** A port of a pod, by number or by name. */
export function portReferenceProblems(field: string, port: number | string): readonly FieldProblem[] {
  if (typeof port === 'number') return portNumberProblems(field, port);
  return portNameProblems(port).map((problem) => invalidValue(field, port, problem));
}

function portNameProblems(name: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}
