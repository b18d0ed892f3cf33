import type { JsonObject } from '../../json.ts';

/** What is there beyond the core, as far as clients of ours ask for it. */
const ALIASES = [
  'allowed-address-pairs',
  'external-net',
  'filter-validation',
  'fip-port-details',
  'pagination',
  'port-security',
  'project-id',
  'quotas',
  'revision-if-match',
  'router',
  'security-group',
  'sorting',
  'standard-attr-description',
  'standard-attr-revisions',
  'standard-attr-tag',
];

export const EXTENSIONS: JsonObject = {
  extensions: ALIASES.map((alias) => ({ alias, name: alias, description: '', links: [] })),
};
