/** What names may look like; each function lists what is wrong, in the real server's words. */

const LABEL_PATTERN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_PATTERN = `${LABEL_PATTERN}(\\.${LABEL_PATTERN})*`;
const QUALIFIED_PATTERN = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE_PATTERN = `(${QUALIFIED_PATTERN})?`;

const LABEL = new RegExp(`^${LABEL_PATTERN}$`);
const SUBDOMAIN = new RegExp(`^${SUBDOMAIN_PATTERN}$`);
const QUALIFIED = new RegExp(`^${QUALIFIED_PATTERN}$`);
const LABEL_VALUE = new RegExp(`^${LABEL_VALUE_PATTERN}$`);

const ENDS = 'and must start and end with an alphanumeric character';
const LOWER = 'must consist of lower case alphanumeric characters';
const SUBDOMAIN_RULE = `a lowercase RFC 1123 subdomain ${LOWER}, '-' or '.', ${ENDS}`;
const LABEL_RULE = `a lowercase RFC 1123 label ${LOWER} or '-', ${ENDS}`;
const QUALIFIED_RULE = `must consist of alphanumeric characters, '-', '_' or '.', ${ENDS}`;
const LETTERS = "consist of alphanumeric characters, '-', '_' or '.'";
const LABEL_VALUE_RULE = `a valid label must be an empty string or ${LETTERS}, ${ENDS}`;

export type NameRule = (name: string) => readonly string[];

function broken(rule: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

export const subdomainProblems: NameRule = (name) => {
  const problems = name.length > 253 ? ['must be no more than 253 characters'] : [];
  if (!SUBDOMAIN.test(name)) problems.push(broken(SUBDOMAIN_RULE, SUBDOMAIN_PATTERN, 'example.com'));
  return problems;
};

export const dnsLabelProblems: NameRule = (name) => {
  const problems = name.length > 63 ? ['must be no more than 63 characters'] : [];
  if (LABEL.test(name)) return problems;
  if (SUBDOMAIN.test(name)) return [...problems, 'must not contain dots'];
  return [...problems, broken(LABEL_RULE, LABEL_PATTERN, 'my-name', '123-abc')];
};

/** For kinds whose names only have to fit into a path. */
export const pathSegmentProblems: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
};

/** Label keys, annotation keys and finalizers: a name, optionally after a domain and a slash. */
export function labelKeyProblems(key: string): readonly string[] {
  const parts = key.split('/');
  const rule = broken(QUALIFIED_RULE, QUALIFIED_PATTERN, 'MyName', 'my.name', '123-abc');
  if (parts.length > 2) {
    return [`a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const problems: string[] = [];
  const [prefix] = parts;
  const name = parts.at(-1) ?? '';
  if (parts.length === 2 && prefix !== undefined) problems.push(...prefixProblems(prefix));
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!QUALIFIED.test(name)) problems.push(`name part ${rule}`);
  return problems;
}

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const problems = prefix.length > 253 ? ['prefix part must be no more than 253 bytes'] : [];
  if (SUBDOMAIN.test(prefix)) return problems;
  return [...problems, `prefix part ${broken(SUBDOMAIN_RULE, SUBDOMAIN_PATTERN, 'example.com')}`];
}

export function labelValueProblems(value: string): readonly string[] {
  const problems = value.length > 63 ? ['must be no more than 63 bytes'] : [];
  if (LABEL_VALUE.test(value)) return problems;
  return [...problems, broken(LABEL_VALUE_RULE, LABEL_VALUE_PATTERN, 'MyValue', 'my_value', '12345')];
}
