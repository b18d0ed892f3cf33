import { addressProblems, familyOf } from '../../validation/addresses.ts';
import { duplicate, type FieldProblem, invalidValue, notSupported, required } from '../../validation/field-problem.ts';
import { isHeadless, type Service } from './service.ts';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** What is wrong with the addresses of a Service and with what says which it shall have. */
export function clusterIPProblems(service: Service, previous: Service | undefined): readonly FieldProblem[] {
  const { spec } = service;
  if (spec.type === 'ExternalName') return [];
  const field = 'spec.clusterIPs';
  const addresses = spec.clusterIPs ?? [];
  const problems: FieldProblem[] = [...agreementProblems(spec, field), ...familyProblems(spec)];
  if (spec.ipFamilyPolicy !== undefined && !POLICIES.includes(spec.ipFamilyPolicy)) {
    problems.push(notSupported('spec.ipFamilyPolicy', spec.ipFamilyPolicy, POLICIES));
  }
  const malformed = addresses.flatMap((address, index) => {
    if (index === 0 && address === 'None') {
      if (addresses.length === 1) return [];
      return [invalidValue(field, addresses, "'None' must be the first and only value")];
    }
    if (previous?.spec.clusterIPs?.includes(address)) return [];
    return addressProblems(`${field}[${index}]`, address);
  });
  problems.push(...malformed);
  if (addresses.length > 2) problems.push(invalidValue(field, addresses, 'may only hold up to 2 values'));
  if (malformed.length > 0) return problems;
  if (addresses.length > 1 && new Set(addresses.map(familyOf)).size !== 2) {
    problems.push(invalidValue(field, addresses, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(service)) return problems;
  for (const [index, address] of addresses.entries()) {
    const family = spec.ipFamilies?.[index];
    if (family === undefined || family === familyOf(address) || !FAMILIES.includes(family)) continue;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    problems.push(invalidValue(`${field}[${index}]`, address, detail));
  }
  return problems;
}

function agreementProblems(spec: Service['spec'], field: string): readonly FieldProblem[] {
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (clusterIP === '') {
    if (clusterIPs.length === 0) return [];
    return [invalidValue(field, clusterIPs, 'must be empty when `clusterIP` is not specified')];
  }
  if (clusterIPs.length === 0) return [required(field)];
  return clusterIPs[0] === clusterIP ? [] : [invalidValue(field, clusterIPs, 'first value must match `clusterIP`')];
}

function familyProblems({ ipFamilies = [] }: Service['spec']): readonly FieldProblem[] {
  return ipFamilies.flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    const problems = FAMILIES.includes(family) ? [] : [notSupported(field, family, FAMILIES)];
    return ipFamilies.indexOf(family) < index ? [...problems, duplicate(field, family)] : problems;
  });
}

/** What an update may not do to the addresses and families of a Service. */
export function clusterIPUpdateProblems(next: Service, previous: Service): readonly FieldProblem[] {
  if (next.spec.type === 'ExternalName' || previous.spec.type === 'ExternalName') return [];
  const problems: FieldProblem[] = [];
  if (!isHeadless(next) || !isHeadless(previous)) problems.push(...addressChangeProblems(next, previous));
  if (!isHeadless(next) && !isHeadless(previous)) problems.push(...familyChangeProblems(next, previous));
  return problems;
}

const UNCHANGEABLE = 'may not change once set';

function addressChangeProblems(next: Service, previous: Service): readonly FieldProblem[] {
  const before = previous.spec.clusterIPs ?? [];
  const after = next.spec.clusterIPs ?? [];
  const field = 'spec.clusterIPs';
  if (before.length === after.length) {
    return before.flatMap((address, index) =>
      address === after[index] ? [] : [invalidValue(`${field}[${index}]`, after, UNCHANGEABLE)],
    );
  }
  const problems: FieldProblem[] = [];
  if (after.length === 0) problems.push(invalidValue(`${field}[0]`, after, 'primary clusterIP can not be unset'));
  if (before.length > 0 && after.length > 0 && before[0] !== after[0]) {
    problems.push(invalidValue(`${field}[0]`, after, UNCHANGEABLE));
  }
  if (before.length > after.length && after.length === 1) problems.push(...releaseProblems(next, 'clusterIP'));
  return problems;
}

function familyChangeProblems(next: Service, previous: Service): readonly FieldProblem[] {
  const before = previous.spec.ipFamilies ?? [];
  const after = next.spec.ipFamilies ?? [];
  const addresses = next.spec.clusterIPs ?? [];
  const field = 'spec.ipFamilies[0]';
  if (before.length === after.length) {
    return before.flatMap((family, index) =>
      family === after[index] ? [] : [invalidValue(field, after, UNCHANGEABLE)],
    );
  }
  const problems: FieldProblem[] = [];
  if (before.length > after.length && addresses.length === 0) {
    problems.push(invalidValue(field, after, 'primary ipFamily can not be unset'));
  }
  if (before.length > 0 && after.length > 0 && before[0] !== after[0]) {
    problems.push(invalidValue(field, addresses, UNCHANGEABLE));
  }
  if (before.length > after.length && after.length === 1) problems.push(...releaseProblems(next, 'ipFamily'));
  return problems;
}

function releaseProblems({ spec }: Service, what: string): readonly FieldProblem[] {
  if (spec.ipFamilyPolicy === 'SingleStack') return [];
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  return [invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy ?? null, detail)];
}
