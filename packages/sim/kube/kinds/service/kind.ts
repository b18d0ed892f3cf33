import { builtInSchema } from '../../schema/built-in.ts';
import { dnsLabelProblems } from '../../validation/names.ts';
import { builtIn, type ServedKind, STATUS_ONLY, STATUS_RULES } from '../kind.ts';
import { serviceDefaults } from './defaults.ts';
import { asService, isService, type Service, withSpec } from './service.ts';
import { dropTypeDependentFields } from './update.ts';
import { serviceProblems, serviceStatusProblems, serviceUpdateProblems } from './validation.ts';
import { serviceWarnings } from './warnings.ts';

/** A mere name has no traffic to direct. */
function withoutUnused(service: Service): Service {
  return service.spec.type === 'ExternalName' ? withSpec(service, { internalTrafficPolicy: undefined }) : service;
}

export const services: ServedKind = builtIn({
  plural: 'services',
  kind: 'Service',
  shortNames: ['svc'],
  categories: ['all'],
  schema: builtInSchema('io.k8s.api.core.v1.Service'),
  defaults: (object) => serviceDefaults(asService(object)),
  rules: {
    ...STATUS_RULES,
    nameRule: dnsLabelProblems,
    createOnUpdate: true,
    returnsDeleted: true,
    allocate(next, previous, context) {
      return context.services.plan(asService(next), previous && asService(previous), context.dryRun);
    },
    settle(next, previous, context) {
      context.services.commit(next && asService(next), previous && asService(previous));
    },
    prepareCreate: (object) => ({ ...withoutUnused(asService(object)), status: { loadBalancer: {} } }),
    warnings: (object) => serviceWarnings(asService(object)),
    validateCreate: (object) => serviceProblems(asService(object)),
    update: {
      prepare: (next, previous) => withoutUnused(dropTypeDependentFields(asService(next), asService(previous))),
      validate: (next, previous) => serviceUpdateProblems(asService(next), asService(previous)),
      ignored: { 'f:status': {} },
    },
    subresources: new Map([
      [
        'status',
        {
          ...STATUS_ONLY,
          validate: (next, previous) => serviceStatusProblems(asService(next), asService(previous)),
        },
      ],
    ]),
  },
  selectable: {
    names: ['metadata.name', 'metadata.namespace', 'spec.clusterIP', 'spec.type'],
    read(object) {
      if (!isService(object)) return {};
      return { 'spec.clusterIP': object.spec.clusterIP ?? '', 'spec.type': object.spec.type ?? '' };
    },
  },
});
