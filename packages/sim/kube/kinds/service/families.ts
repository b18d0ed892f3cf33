import { type Family, familyOf } from '../../validation/addresses.ts';
import { type FieldProblem, invalidValue } from '../../validation/field-problem.ts';
import { clusterIPProblems } from './cluster-ip-validation.ts';
import { isHeadless, type Service, sameTexts, withSpec } from './service.ts';

/** The families that the cluster hands out addresses of; the first is the default. */
export type ClusterFamilies = readonly [Family, ...Family[]];

export type FamilyResult = { readonly service: Service } | { readonly problems: readonly FieldProblem[] };

/**
 * Works out the policy and the families of a Service from what it says and, on an update, from what it was. Never
 * adds or gives up an address unless the policy asks for it.
 */
export function withFamilies(service: Service, previous: Service | undefined, cluster: ClusterFamilies): FamilyResult {
  if (service.spec.type === 'ExternalName' || keepsDualStack(service, previous)) return { service };
  const decided = withSpec(service, { ipFamilyPolicy: policyOf(service, previous) });
  const malformed = clusterIPProblems(decided, previous);
  if (malformed.length > 0) return { problems: malformed };
  const { service: reduced, problems: reductions } = reduce(decided, previous);
  const inferred = inferFamilies(reduced, cluster);
  const problems = [...reductions, ...policyProblems(reduced), ...inferred.problems];
  if (problems.length > 0) return { problems };
  return complete(inferred.service, cluster);
}

function keepsDualStack(service: Service, previous: Service | undefined): boolean {
  if (previous === undefined || service.spec.ipFamilyPolicy !== 'PreferDualStack') return false;
  if (service.spec.type !== previous.spec.type) return false;
  if ((previous.spec.ipFamilyPolicy ?? 'PreferDualStack') !== 'PreferDualStack') return false;
  return (
    sameTexts(service.spec.clusterIPs, previous.spec.clusterIPs) &&
    sameTexts(service.spec.ipFamilies, previous.spec.ipFamilies)
  );
}

function policyOf({ spec }: Service, previous: Service | undefined): string {
  if (spec.ipFamilyPolicy !== undefined) return spec.ipFamilyPolicy;
  if (previous?.spec.ipFamilyPolicy !== undefined) return previous.spec.ipFamilyPolicy;
  return spec.clusterIP === 'None' && !hasSelector(spec) ? 'RequireDualStack' : 'SingleStack';
}

function hasSelector({ selector }: Service['spec']): boolean {
  return selector !== undefined && Object.keys(selector).length > 0;
}

interface Reduction {
  readonly service: Service;
  readonly problems: readonly FieldProblem[];
}

/** Becoming single-stack gives up the second address; giving it up in any other way is a mistake. */
function reduce(service: Service, previous: Service | undefined): Reduction {
  if (previous === undefined) return { service, problems: [] };
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy = '' } = service.spec;
  if (ipFamilyPolicy === 'SingleStack') {
    const addresses = sameTexts(clusterIPs, previous.spec.clusterIPs) ? clusterIPs.slice(0, 1) : clusterIPs;
    const families = sameTexts(ipFamilies, previous.spec.ipFamilies) ? ipFamilies.slice(0, 1) : ipFamilies;
    return { service: withSpec(service, { clusterIPs: addresses, ipFamilies: families }), problems: [] };
  }
  const problems: FieldProblem[] = [];
  if (isShorter(clusterIPs, previous.spec.clusterIPs)) {
    const detail = "must be 'SingleStack' to release the secondary cluster IP";
    problems.push(invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy, detail));
  }
  if (isShorter(ipFamilies, previous.spec.ipFamilies)) {
    const detail = "must be 'SingleStack' to release the secondary IP family";
    problems.push(invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy, detail));
  }
  return { service, problems };
}

function isShorter(next: readonly string[], previous: readonly string[] = []): boolean {
  return next.length > 0 && next.length < previous.length;
}

function policyProblems({ spec }: Service): readonly FieldProblem[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return [];
  const problems: FieldProblem[] = [];
  const rule = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (spec.clusterIPs?.length === 2) {
    problems.push(invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, `${rule} cluster IPs are specified`));
  }
  if (spec.ipFamilies?.length === 2) {
    problems.push(invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, `${rule} IP families are specified`));
  }
  return problems;
}

/** An address says which family it is of. */
function inferFamilies(service: Service, cluster: ClusterFamilies): Reduction {
  const { clusterIPs = [], ipFamilies = [] } = service.spec;
  const families = [...ipFamilies];
  const problems: FieldProblem[] = [];
  for (const [index, address] of clusterIPs.entries()) {
    const family = familyOf(address);
    if (address === 'None' || index < families.length || family === undefined) continue;
    if (cluster.includes(family)) families.push(family);
    else {
      const detail = `${family} is not configured on this cluster`;
      problems.push(invalidValue(`spec.clusterIPs[${index}]`, clusterIPs, detail));
    }
  }
  return { service: families.length > 0 ? withSpec(service, { ipFamilies: families }) : service, problems };
}

function complete(service: Service, cluster: ClusterFamilies): FamilyResult {
  const { ipFamilies = [], ipFamilyPolicy = '' } = service.spec;
  const [first = cluster[0]] = ipFamilies;
  const other: Family = first === 'IPv4' ? 'IPv6' : 'IPv4';
  const both: readonly Family[] = ipFamilyPolicy === 'SingleStack' || ipFamilies.length > 1 ? [] : [other];
  if (isHeadless(service) && !hasSelector(service.spec)) {
    return { service: withSpec(service, { ipFamilies: [first, ...ipFamilies.slice(1), ...both] }) };
  }
  const problems: FieldProblem[] = [];
  if (ipFamilyPolicy === 'RequireDualStack' && cluster.length < 2) {
    const detail = 'this cluster is not configured for dual-stack services';
    problems.push(invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy, detail));
  }
  for (const [index, family] of ipFamilies.entries()) {
    if (cluster.includes(family)) continue;
    problems.push(invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  }
  if (problems.length > 0) return { problems };
  const added = cluster.length === 2 ? both : [];
  return { service: withSpec(service, { ipFamilies: [first, ...ipFamilies.slice(1), ...added] }) };
}
