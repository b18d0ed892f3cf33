import type { Settings } from '../decision/settings.ts';
import { serviceExports, serviceImports } from '../mcs/types.ts';

/** Of the cluster `own`, with nothing out of the ordinary. */
export const testSettings: Settings = {
  clusterset: 'blue',
  cluster: 'own',
  namespace: 'fairlead-system',
  brokerNamespace: 'broker',
  portPolicy: 'intersection',
  namespaces: { deny: [] },
  ownRanges: [],
  mostServices: 100,
  globalnet: false,
  derivedServices: false,
  older: { clusters: [], namespace: 'older', brokerNamespace: 'older-broker' },
  serviceExports: serviceExports('v1beta1'),
  serviceImports: serviceImports('v1beta1'),
  brokerImports: serviceImports('v1beta1'),
};
