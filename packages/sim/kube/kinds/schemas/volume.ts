import {
  always,
  atomicStruct,
  bool,
  int32,
  int64,
  list,
  map,
  optional,
  quantity,
  struct,
  text,
  withDefault,
} from '../../schema/schema.ts';
import { labelSelector, localObjectReference, objectMeta } from './meta.ts';

const hostPathVolumeSource = struct('HostPathVolumeSource', {
  path: always(text),
  type: optional(text),
});

const emptyDirVolumeSource = struct('EmptyDirVolumeSource', {
  medium: text,
  sizeLimit: optional(quantity),
});

const gcePersistentDiskVolumeSource = struct('GCEPersistentDiskVolumeSource', {
  pdName: always(text),
  fsType: text,
  partition: int32,
  readOnly: bool,
});

const awsElasticBlockStoreVolumeSource = struct('AWSElasticBlockStoreVolumeSource', {
  volumeID: always(text),
  fsType: text,
  partition: int32,
  readOnly: bool,
});

const gitRepoVolumeSource = struct('GitRepoVolumeSource', {
  repository: always(text),
  revision: text,
  directory: text,
});

const keyToPath = struct('KeyToPath', {
  key: always(text),
  path: always(text),
  mode: optional(int32),
});

const secretVolumeSource = struct('SecretVolumeSource', {
  secretName: text,
  items: list(keyToPath),
  defaultMode: optional(withDefault(int32, 420)),
  optional: optional(bool),
});

const nfsVolumeSource = struct('NFSVolumeSource', {
  server: always(text),
  path: always(text),
  readOnly: bool,
});

const iscsiVolumeSource = struct('ISCSIVolumeSource', {
  targetPortal: always(text),
  iqn: always(text),
  lun: always(int32),
  iscsiInterface: withDefault(text, 'default'),
  fsType: text,
  readOnly: bool,
  portals: list(text),
  chapAuthDiscovery: bool,
  chapAuthSession: bool,
  secretRef: localObjectReference,
  initiatorName: optional(text),
});

const glusterfsVolumeSource = struct('GlusterfsVolumeSource', {
  endpoints: always(text),
  path: always(text),
  readOnly: bool,
});

const persistentVolumeClaimVolumeSource = struct('PersistentVolumeClaimVolumeSource', {
  claimName: always(text),
  readOnly: bool,
});

const rbdVolumeSource = struct('RBDVolumeSource', {
  monitors: always(list(text)),
  image: always(text),
  fsType: text,
  pool: withDefault(text, 'rbd'),
  user: withDefault(text, 'admin'),
  keyring: withDefault(text, '/etc/ceph/keyring'),
  secretRef: localObjectReference,
  readOnly: bool,
});

const flexVolumeSource = struct('FlexVolumeSource', {
  driver: always(text),
  fsType: text,
  secretRef: localObjectReference,
  readOnly: bool,
  options: map(text),
});

const cinderVolumeSource = struct('CinderVolumeSource', {
  volumeID: always(text),
  fsType: text,
  readOnly: bool,
  secretRef: localObjectReference,
});

const cephFSVolumeSource = struct('CephFSVolumeSource', {
  monitors: always(list(text)),
  path: text,
  user: text,
  secretFile: text,
  secretRef: localObjectReference,
  readOnly: bool,
});

const flockerVolumeSource = struct('FlockerVolumeSource', {
  datasetName: text,
  datasetUUID: text,
});

export const objectFieldSelector = atomicStruct('ObjectFieldSelector', {
  apiVersion: withDefault(text, 'v1'),
  fieldPath: always(text),
});

export const resourceFieldSelector = atomicStruct('ResourceFieldSelector', {
  containerName: text,
  resource: always(text),
  divisor: always(quantity),
});

const downwardAPIVolumeFile = struct('DownwardAPIVolumeFile', {
  path: always(text),
  fieldRef: objectFieldSelector,
  resourceFieldRef: resourceFieldSelector,
  mode: optional(int32),
});

const downwardAPIVolumeSource = struct('DownwardAPIVolumeSource', {
  items: list(downwardAPIVolumeFile),
  defaultMode: optional(withDefault(int32, 420)),
});

const fcVolumeSource = struct('FCVolumeSource', {
  targetWWNs: list(text),
  lun: optional(int32),
  fsType: text,
  readOnly: bool,
  wwids: list(text),
});

const azureFileVolumeSource = struct('AzureFileVolumeSource', {
  secretName: always(text),
  shareName: always(text),
  readOnly: bool,
});

const configMapVolumeSource = struct('ConfigMapVolumeSource', {
  name: withDefault(text, ''),
  items: list(keyToPath),
  defaultMode: optional(withDefault(int32, 420)),
  optional: optional(bool),
});

const vsphereVirtualDiskVolumeSource = struct('VsphereVirtualDiskVolumeSource', {
  volumePath: always(text),
  fsType: text,
  storagePolicyName: text,
  storagePolicyID: text,
});

const quobyteVolumeSource = struct('QuobyteVolumeSource', {
  registry: always(text),
  volume: always(text),
  readOnly: bool,
  user: text,
  group: text,
  tenant: text,
});

const azureDiskVolumeSource = struct('AzureDiskVolumeSource', {
  diskName: always(text),
  diskURI: always(text),
  cachingMode: optional(withDefault(text, 'ReadWrite')),
  fsType: optional(withDefault(text, 'ext4')),
  readOnly: optional(withDefault(bool, false)),
  kind: optional(withDefault(text, 'Shared')),
});

const photonPersistentDiskVolumeSource = struct('PhotonPersistentDiskVolumeSource', {
  pdID: always(text),
  fsType: text,
});

const secretProjection = struct('SecretProjection', {
  name: withDefault(text, ''),
  items: list(keyToPath),
  optional: optional(bool),
});

const downwardAPIProjection = struct('DownwardAPIProjection', {
  items: list(downwardAPIVolumeFile),
});

const configMapProjection = struct('ConfigMapProjection', {
  name: withDefault(text, ''),
  items: list(keyToPath),
  optional: optional(bool),
});

const serviceAccountTokenProjection = struct('ServiceAccountTokenProjection', {
  audience: text,
  expirationSeconds: optional(withDefault(int64, 3600)),
  path: always(text),
});

const clusterTrustBundleProjection = struct('ClusterTrustBundleProjection', {
  name: optional(text),
  signerName: optional(text),
  labelSelector,
  optional: optional(bool),
  path: always(text),
});

const podCertificateProjection = struct('PodCertificateProjection', {
  signerName: text,
  keyType: text,
  maxExpirationSeconds: optional(int32),
  credentialBundlePath: text,
  keyPath: text,
  certificateChainPath: text,
  userAnnotations: map(text),
});

const volumeProjection = struct('VolumeProjection', {
  secret: secretProjection,
  downwardAPI: downwardAPIProjection,
  configMap: configMapProjection,
  serviceAccountToken: serviceAccountTokenProjection,
  clusterTrustBundle: clusterTrustBundleProjection,
  podCertificate: podCertificateProjection,
});

const projectedVolumeSource = struct('ProjectedVolumeSource', {
  sources: always(list(volumeProjection)),
  defaultMode: optional(withDefault(int32, 420)),
});

const portworxVolumeSource = struct('PortworxVolumeSource', {
  volumeID: always(text),
  fsType: text,
  readOnly: bool,
});

const scaleIOVolumeSource = struct('ScaleIOVolumeSource', {
  gateway: always(text),
  system: always(text),
  secretRef: localObjectReference,
  sslEnabled: bool,
  protectionDomain: text,
  storagePool: text,
  storageMode: withDefault(text, 'ThinProvisioned'),
  volumeName: text,
  fsType: withDefault(text, 'xfs'),
  readOnly: bool,
});

const storageOSVolumeSource = struct('StorageOSVolumeSource', {
  volumeName: text,
  volumeNamespace: text,
  fsType: text,
  readOnly: bool,
  secretRef: localObjectReference,
});

const csiVolumeSource = struct('CSIVolumeSource', {
  driver: always(text),
  readOnly: optional(bool),
  fsType: optional(text),
  volumeAttributes: map(text),
  nodePublishSecretRef: localObjectReference,
});

const volumeResourceRequirements = struct('VolumeResourceRequirements', {
  limits: map(quantity),
  requests: map(quantity),
});

const typedLocalObjectReference = atomicStruct('TypedLocalObjectReference', {
  apiGroup: optional(text),
  kind: always(text),
  name: always(text),
});

const typedObjectReference = struct('TypedObjectReference', {
  apiGroup: optional(text),
  kind: always(text),
  name: always(text),
  namespace: optional(text),
});

const persistentVolumeClaimSpec = struct('PersistentVolumeClaimSpec', {
  accessModes: list(text),
  selector: labelSelector,
  resources: always(volumeResourceRequirements),
  volumeName: text,
  storageClassName: optional(text),
  volumeMode: optional(text),
  dataSource: typedLocalObjectReference,
  dataSourceRef: typedObjectReference,
  volumeAttributesClassName: optional(text),
});

const persistentVolumeClaimTemplate = struct('PersistentVolumeClaimTemplate', {
  metadata: always(objectMeta),
  spec: always(persistentVolumeClaimSpec),
});

const ephemeralVolumeSource = struct('EphemeralVolumeSource', {
  volumeClaimTemplate: persistentVolumeClaimTemplate,
});

const imageVolumeSource = struct('ImageVolumeSource', {
  reference: text,
  pullPolicy: text,
});

export const volume = struct('Volume', {
  name: always(text),
  hostPath: hostPathVolumeSource,
  emptyDir: emptyDirVolumeSource,
  gcePersistentDisk: gcePersistentDiskVolumeSource,
  awsElasticBlockStore: awsElasticBlockStoreVolumeSource,
  gitRepo: gitRepoVolumeSource,
  secret: secretVolumeSource,
  nfs: nfsVolumeSource,
  iscsi: iscsiVolumeSource,
  glusterfs: glusterfsVolumeSource,
  persistentVolumeClaim: persistentVolumeClaimVolumeSource,
  rbd: rbdVolumeSource,
  flexVolume: flexVolumeSource,
  cinder: cinderVolumeSource,
  cephfs: cephFSVolumeSource,
  flocker: flockerVolumeSource,
  downwardAPI: downwardAPIVolumeSource,
  fc: fcVolumeSource,
  azureFile: azureFileVolumeSource,
  configMap: configMapVolumeSource,
  vsphereVolume: vsphereVirtualDiskVolumeSource,
  quobyte: quobyteVolumeSource,
  azureDisk: azureDiskVolumeSource,
  photonPersistentDisk: photonPersistentDiskVolumeSource,
  projected: projectedVolumeSource,
  portworxVolume: portworxVolumeSource,
  scaleIO: scaleIOVolumeSource,
  storageos: storageOSVolumeSource,
  csi: csiVolumeSource,
  ephemeral: ephemeralVolumeSource,
  image: imageVolumeSource,
});
