import { expect, it } from 'vitest';
import { services } from '../api/resources.ts';
import type { Service } from '../types/service.ts';
import { controllerReference } from './owner-references.ts';

const owner: Service = { metadata: { namespace: 'shop', name: 'web', uid: 'service-uid' }, spec: {} };

it('a reference to an owner makes it the controller of the object', () => {
  expect(controllerReference(services, owner)).toEqual({
    apiVersion: 'v1',
    kind: 'Service',
    name: 'web',
    uid: 'service-uid',
    controller: true,
    blockOwnerDeletion: true,
  });
});

it('a reference needs an owner that exists', () => {
  expect(() => controllerReference(services, { metadata: { name: 'new' }, spec: {} })).toThrow('has no uid');
});
