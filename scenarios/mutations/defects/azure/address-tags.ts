import type { Defect } from '../../defect.ts';

const GATEWAY = 'packages/azure/service-gateway';
const BODIES = `${GATEWAY}/cloud/request-bodies.ts`;
const READER = 'packages/azure/arm/parts/address-tags.ts';
const tags = { unit: `${GATEWAY}/address-tags` };

/** What Services have their public addresses tagged with. */
export const addressTagsDefects: readonly Defect[] = [
  {
    name: 'a mark of ours in another spelling is taken for a tag as any other',
    file: READER,
    find: 'MARKS.test(name.toUpperCase().toLowerCase())',
    replace: 'MARKS.test(name)',
    foundBy: tags,
  },
  {
    name: 'a mark of ours may be asked for with a line separator in it',
    file: READER,
    find: '(fairlead-|k8s-azure-|',
    replace: '(fairlead-.*$|k8s-azure-.*$|',
    foundBy: { unit: 'packages/azure/arm/parts/address-tags' },
  },
  {
    name: 'a tag that a Service asks for takes the place of our mark',
    file: BODIES,
    find: 'withTags(withTags(there?.tags ?? {}, asked), tagsFor(scope, spec))',
    replace: 'withTags(withTags(there?.tags ?? {}, tagsFor(scope, spec)), asked)',
    foundBy: { unit: `${GATEWAY}/cloud/plan` },
  },
  {
    name: 'the tags of others are dropped when those of a Service are put on its address',
    file: BODIES,
    find: 'withTags(there?.tags ?? {}, asked)',
    replace: 'withTags({}, asked)',
    foundBy: tags,
  },
  {
    name: 'an address is made without the tags that its Service asks for',
    file: BODIES,
    find: 'isInboundSpec(spec) ? spec.addressTags : {}',
    replace: 'isInboundSpec(spec) && there !== undefined ? spec.addressTags : {}',
    foundBy: tags,
  },
  {
    name: 'a Service that asks for other tags is taken for unchanged',
    file: `${GATEWAY}/engine/service-spec.ts`,
    find: 'isDeepStrictEqual(left, right)',
    replace: 'isDeepStrictEqual({ ...left, addressTags: {} }, { ...right, addressTags: {} })',
    foundBy: tags,
  },
  {
    name: 'a tag is put on an address again in another spelling',
    file: READER,
    find: 'spelling.get(name.toLowerCase()) ?? name',
    replace: 'spelling.get(name) ?? name',
    foundBy: tags,
  },
  {
    name: 'an address that has no room for more tags is written nevertheless',
    file: `${GATEWAY}/cloud/plan.ts`,
    find: 'requireRoomForTags(armName(id), body.tags);',
    replace: '',
    foundBy: tags,
  },
  {
    name: 'what others have set on an address is dropped when its tags change',
    file: BODIES,
    find: 'properties: { ...kept.properties, ...wanted.properties }',
    replace: 'properties: wanted.properties',
    foundBy: tags,
  },
  {
    name: 'local backends serve a Service that asks for tags, and leave them out',
    file: 'packages/azure/local-backends/load-balancers/annotated.ts',
    find: 'addressTags: _tags, ',
    replace: '',
    foundBy: { unit: 'packages/azure/local-backends/load-balancers/desired' },
  },
  {
    name: 'an address loses its tier when its tags change',
    file: BODIES,
    find: '    sku: { ...kept.sku, ...wanted.sku },\n',
    replace: '',
    foundBy: tags,
  },
];
