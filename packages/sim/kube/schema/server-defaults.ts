import type { Json } from '../../json.ts';

type Defaults = Readonly<Record<string, Json>>;

const FILE_MODE: Defaults = { defaultMode: 0o644 };
const TERMINATION: Defaults = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};

/** Defaults that the real server sets in code, where neither the types nor their OpenAPI tell. */
export const SERVER_DEFAULTS: Readonly<Record<string, Defaults>> = {
  'io.k8s.api.apps.v1.DeploymentSpec': { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
  'io.k8s.api.core.v1.ConfigMapVolumeSource': FILE_MODE,
  'io.k8s.api.core.v1.Container': TERMINATION,
  'io.k8s.api.core.v1.DownwardAPIVolumeSource': FILE_MODE,
  'io.k8s.api.core.v1.EndpointPort': { protocol: 'TCP' },
  'io.k8s.api.core.v1.EphemeralContainer': TERMINATION,
  'io.k8s.api.core.v1.HTTPGetAction': { path: '/', scheme: 'HTTP' },
  'io.k8s.api.core.v1.NamespaceStatus': { phase: 'Active' },
  'io.k8s.api.core.v1.ObjectFieldSelector': { apiVersion: 'v1' },
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
  'io.k8s.api.core.v1.PodSpec': {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  },
  'io.k8s.api.core.v1.Probe': { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  'io.k8s.api.core.v1.ProjectedVolumeSource': FILE_MODE,
  'io.k8s.api.core.v1.Secret': { type: 'Opaque' },
  'io.k8s.api.core.v1.SecretVolumeSource': FILE_MODE,
  'io.k8s.api.core.v1.ServiceAccountTokenProjection': { expirationSeconds: 3600 },
  'io.k8s.api.discovery.v1.EndpointPort': { protocol: 'TCP' },
};
