// Generated from the Go types of Kubernetes by e2e/cluster/schemas: run npm run generate:schemas, do not edit.
import type { GeneratedType } from './generated-type.ts';

/** The types of the built-in kinds, by the names under which their OpenAPI is published. */
export const TYPES = {
  'io.k8s.api.apps.v1.Deployment': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.apps.v1.DeploymentSpec', presence: 'always', number: 2 },
      status: { of: 'io.k8s.api.apps.v1.DeploymentStatus', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.apps.v1.DeploymentCondition': {
    required: ['type', 'status'],
    fields: {
      type: { of: 'text', presence: 'always', number: 1 },
      status: { of: 'text', presence: 'always', number: 2 },
      lastUpdateTime: { of: 'time', presence: 'always', number: 6 },
      lastTransitionTime: { of: 'time', presence: 'always', number: 7 },
      reason: { of: 'text', number: 4 },
      message: { of: 'text', number: 5 },
    },
  },
  'io.k8s.api.apps.v1.DeploymentSpec': {
    required: ['selector', 'template'],
    fields: {
      replicas: { of: 'int32', presence: 'optional', number: 1 },
      selector: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', presence: 'nullable', number: 2 },
      template: { of: 'io.k8s.api.core.v1.PodTemplateSpec', presence: 'always', number: 3 },
      strategy: { of: 'io.k8s.api.apps.v1.DeploymentStrategy', presence: 'always', retainKeys: true, number: 4 },
      minReadySeconds: { of: 'int32', number: 5 },
      revisionHistoryLimit: { of: 'int32', presence: 'optional', number: 6 },
      paused: { of: 'boolean', number: 7 },
      progressDeadlineSeconds: { of: 'int32', presence: 'optional', number: 9 },
    },
  },
  'io.k8s.api.apps.v1.DeploymentStatus': {
    fields: {
      observedGeneration: { of: 'int64', number: 1 },
      replicas: { of: 'int32', number: 2 },
      updatedReplicas: { of: 'int32', number: 3 },
      readyReplicas: { of: 'int32', number: 7 },
      availableReplicas: { of: 'int32', number: 4 },
      unavailableReplicas: { of: 'int32', number: 5 },
      terminatingReplicas: { of: 'int32', presence: 'optional', number: 9 },
      conditions: {
        of: { list: 'io.k8s.api.apps.v1.DeploymentCondition', identity: ['type'], patchMerge: 'type' },
        number: 6,
      },
      collisionCount: { of: 'int32', presence: 'optional', number: 8 },
    },
  },
  'io.k8s.api.apps.v1.DeploymentStrategy': {
    fields: {
      type: { of: 'text', number: 1 },
      rollingUpdate: { of: 'io.k8s.api.apps.v1.RollingUpdateDeployment', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.apps.v1.RollingUpdateDeployment': {
    fields: {
      maxUnavailable: { of: 'intOrString', presence: 'optional', number: 1 },
      maxSurge: { of: 'intOrString', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.authentication.v1.SelfSubjectReview': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      status: { of: 'io.k8s.api.authentication.v1.SelfSubjectReviewStatus', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.authentication.v1.SelfSubjectReviewStatus': {
    fields: {
      userInfo: { of: 'io.k8s.api.authentication.v1.UserInfo', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.authentication.v1.UserInfo': {
    fields: {
      username: { of: 'text', number: 1 },
      uid: { of: 'text', number: 2 },
      groups: { of: { list: 'text' }, number: 3 },
      extra: { of: { map: { list: 'text' } }, number: 4 },
    },
  },
  'io.k8s.api.authorization.v1.FieldSelectorAttributes': {
    fields: {
      rawSelector: { of: 'text', number: 1 },
      requirements: { of: { list: 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement' }, number: 2 },
    },
  },
  'io.k8s.api.authorization.v1.LabelSelectorAttributes': {
    fields: {
      rawSelector: { of: 'text', number: 1 },
      requirements: { of: { list: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement' }, number: 2 },
    },
  },
  'io.k8s.api.authorization.v1.NonResourceAttributes': {
    fields: {
      path: { of: 'text', number: 1 },
      verb: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.authorization.v1.ResourceAttributes': {
    fields: {
      namespace: { of: 'text', number: 1 },
      verb: { of: 'text', number: 2 },
      group: { of: 'text', number: 3 },
      version: { of: 'text', number: 4 },
      resource: { of: 'text', number: 5 },
      subresource: { of: 'text', number: 6 },
      name: { of: 'text', number: 7 },
      fieldSelector: { of: 'io.k8s.api.authorization.v1.FieldSelectorAttributes', presence: 'optional', number: 8 },
      labelSelector: { of: 'io.k8s.api.authorization.v1.LabelSelectorAttributes', presence: 'optional', number: 9 },
    },
  },
  'io.k8s.api.authorization.v1.SelfSubjectAccessReview': {
    required: ['spec'],
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec', presence: 'always', number: 2 },
      status: { of: 'io.k8s.api.authorization.v1.SubjectAccessReviewStatus', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec': {
    fields: {
      resourceAttributes: { of: 'io.k8s.api.authorization.v1.ResourceAttributes', presence: 'optional', number: 1 },
      nonResourceAttributes: {
        of: 'io.k8s.api.authorization.v1.NonResourceAttributes',
        presence: 'optional',
        number: 2,
      },
    },
  },
  'io.k8s.api.authorization.v1.SubjectAccessReview': {
    required: ['spec'],
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.authorization.v1.SubjectAccessReviewSpec', presence: 'always', number: 2 },
      status: { of: 'io.k8s.api.authorization.v1.SubjectAccessReviewStatus', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.authorization.v1.SubjectAccessReviewSpec': {
    fields: {
      resourceAttributes: { of: 'io.k8s.api.authorization.v1.ResourceAttributes', presence: 'optional', number: 1 },
      nonResourceAttributes: {
        of: 'io.k8s.api.authorization.v1.NonResourceAttributes',
        presence: 'optional',
        number: 2,
      },
      user: { of: 'text', number: 3 },
      groups: { of: { list: 'text' }, number: 4 },
      extra: { of: { map: { list: 'text' } }, number: 5 },
      uid: { of: 'text', number: 6 },
    },
  },
  'io.k8s.api.authorization.v1.SubjectAccessReviewStatus': {
    required: ['allowed'],
    fields: {
      allowed: { of: 'boolean', presence: 'always', number: 1 },
      denied: { of: 'boolean', number: 4 },
      reason: { of: 'text', number: 2 },
      evaluationError: { of: 'text', number: 3 },
    },
  },
  'io.k8s.api.coordination.v1.Lease': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.coordination.v1.LeaseSpec', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.coordination.v1.LeaseSpec': {
    fields: {
      holderIdentity: { of: 'text', presence: 'optional', number: 1 },
      leaseDurationSeconds: { of: 'int32', presence: 'optional', number: 2 },
      acquireTime: { of: 'microTime', presence: 'optional', number: 3 },
      renewTime: { of: 'microTime', presence: 'optional', number: 4 },
      leaseTransitions: { of: 'int32', presence: 'optional', number: 5 },
      strategy: { of: 'text', presence: 'optional', number: 6 },
      preferredHolder: { of: 'text', presence: 'optional', number: 7 },
    },
  },
  'io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource': {
    required: ['volumeID'],
    fields: {
      volumeID: { of: 'text', presence: 'always', number: 1 },
      fsType: { of: 'text', number: 2 },
      partition: { of: 'int32', number: 3 },
      readOnly: { of: 'boolean', number: 4 },
    },
  },
  'io.k8s.api.core.v1.Affinity': {
    fields: {
      nodeAffinity: { of: 'io.k8s.api.core.v1.NodeAffinity', presence: 'optional', number: 1 },
      podAffinity: { of: 'io.k8s.api.core.v1.PodAffinity', presence: 'optional', number: 2 },
      podAntiAffinity: { of: 'io.k8s.api.core.v1.PodAntiAffinity', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.core.v1.AppArmorProfile': {
    required: ['type'],
    fields: {
      type: { of: 'text', presence: 'always', number: 1 },
      localhostProfile: { of: 'text', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.AttachedVolume': {
    required: ['name', 'devicePath'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      devicePath: { of: 'text', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.AzureDiskVolumeSource': {
    required: ['diskName', 'diskURI'],
    fields: {
      diskName: { of: 'text', presence: 'always', number: 1 },
      diskURI: { of: 'text', presence: 'always', number: 2 },
      cachingMode: { of: 'text', presence: 'optional', default: 'ReadWrite', number: 3 },
      fsType: { of: 'text', presence: 'optional', default: 'ext4', number: 4 },
      readOnly: { of: 'boolean', presence: 'optional', default: false, number: 5 },
      kind: { of: 'text', presence: 'optional', default: 'Shared', number: 6 },
    },
  },
  'io.k8s.api.core.v1.AzureFileVolumeSource': {
    required: ['secretName', 'shareName'],
    fields: {
      secretName: { of: 'text', presence: 'always', number: 1 },
      shareName: { of: 'text', presence: 'always', number: 2 },
      readOnly: { of: 'boolean', number: 3 },
    },
  },
  'io.k8s.api.core.v1.CSIVolumeSource': {
    required: ['driver'],
    fields: {
      driver: { of: 'text', presence: 'always', number: 1 },
      readOnly: { of: 'boolean', presence: 'optional', number: 2 },
      fsType: { of: 'text', presence: 'optional', number: 3 },
      volumeAttributes: { of: { map: 'text' }, number: 4 },
      nodePublishSecretRef: { of: 'io.k8s.api.core.v1.LocalObjectReference', presence: 'optional', number: 5 },
    },
  },
  'io.k8s.api.core.v1.Capabilities': {
    fields: {
      add: { of: { list: 'text' }, number: 1 },
      drop: { of: { list: 'text' }, number: 2 },
    },
  },
  'io.k8s.api.core.v1.CephFSVolumeSource': {
    required: ['monitors'],
    fields: {
      monitors: { of: { list: 'text' }, presence: 'always', number: 1 },
      path: { of: 'text', number: 2 },
      user: { of: 'text', number: 3 },
      secretFile: { of: 'text', number: 4 },
      secretRef: { of: 'io.k8s.api.core.v1.LocalObjectReference', presence: 'optional', number: 5 },
      readOnly: { of: 'boolean', number: 6 },
    },
  },
  'io.k8s.api.core.v1.CinderVolumeSource': {
    required: ['volumeID'],
    fields: {
      volumeID: { of: 'text', presence: 'always', number: 1 },
      fsType: { of: 'text', number: 2 },
      readOnly: { of: 'boolean', number: 3 },
      secretRef: { of: 'io.k8s.api.core.v1.LocalObjectReference', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.ClientIPConfig': {
    fields: {
      timeoutSeconds: { of: 'int32', presence: 'optional', number: 1 },
    },
  },
  'io.k8s.api.core.v1.ClusterTrustBundleProjection': {
    required: ['path'],
    fields: {
      name: { of: 'text', presence: 'optional', number: 1 },
      signerName: { of: 'text', presence: 'optional', number: 2 },
      labelSelector: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', presence: 'optional', number: 3 },
      optional: { of: 'boolean', presence: 'optional', number: 5 },
      path: { of: 'text', presence: 'always', number: 4 },
    },
  },
  'io.k8s.api.core.v1.ConfigMap': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      immutable: { of: 'boolean', presence: 'optional', number: 4 },
      data: { of: { map: 'text' }, number: 2 },
      binaryData: { of: { map: 'bytes' }, number: 3 },
    },
  },
  'io.k8s.api.core.v1.ConfigMapEnvSource': {
    fields: {
      name: { of: 'text', default: '', number: [1, 1] },
      optional: { of: 'boolean', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ConfigMapKeySelector': {
    atomic: true,
    required: ['key'],
    fields: {
      name: { of: 'text', default: '', number: [1, 1] },
      key: { of: 'text', presence: 'always', number: 2 },
      optional: { of: 'boolean', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.core.v1.ConfigMapNodeConfigSource': {
    required: ['namespace', 'name', 'kubeletConfigKey'],
    fields: {
      namespace: { of: 'text', presence: 'always', number: 1 },
      name: { of: 'text', presence: 'always', number: 2 },
      uid: { of: 'text', number: 3 },
      resourceVersion: { of: 'text', number: 4 },
      kubeletConfigKey: { of: 'text', presence: 'always', number: 5 },
    },
  },
  'io.k8s.api.core.v1.ConfigMapProjection': {
    fields: {
      name: { of: 'text', default: '', number: [1, 1] },
      items: { of: { list: 'io.k8s.api.core.v1.KeyToPath' }, number: 2 },
      optional: { of: 'boolean', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.ConfigMapVolumeSource': {
    fields: {
      name: { of: 'text', default: '', number: [1, 1] },
      items: { of: { list: 'io.k8s.api.core.v1.KeyToPath' }, number: 2 },
      defaultMode: { of: 'int32', presence: 'optional', number: 3 },
      optional: { of: 'boolean', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.Container': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      image: { of: 'text', number: 2 },
      command: { of: { list: 'text' }, number: 3 },
      args: { of: { list: 'text' }, number: 4 },
      workingDir: { of: 'text', number: 5 },
      ports: {
        of: {
          list: 'io.k8s.api.core.v1.ContainerPort',
          identity: ['containerPort', 'protocol'],
          patchMerge: 'containerPort',
        },
        number: 6,
      },
      envFrom: { of: { list: 'io.k8s.api.core.v1.EnvFromSource' }, number: 19 },
      env: { of: { list: 'io.k8s.api.core.v1.EnvVar', identity: ['name'], patchMerge: 'name' }, number: 7 },
      resources: { of: 'io.k8s.api.core.v1.ResourceRequirements', presence: 'always', number: 8 },
      resizePolicy: { of: { list: 'io.k8s.api.core.v1.ContainerResizePolicy' }, number: 23 },
      restartPolicy: { of: 'text', presence: 'optional', number: 24 },
      restartPolicyRules: { of: { list: 'io.k8s.api.core.v1.ContainerRestartRule' }, number: 25 },
      volumeMounts: {
        of: { list: 'io.k8s.api.core.v1.VolumeMount', identity: ['mountPath'], patchMerge: 'mountPath' },
        number: 9,
      },
      volumeDevices: {
        of: { list: 'io.k8s.api.core.v1.VolumeDevice', identity: ['devicePath'], patchMerge: 'devicePath' },
        number: 21,
      },
      livenessProbe: { of: 'io.k8s.api.core.v1.Probe', presence: 'optional', number: 10 },
      readinessProbe: { of: 'io.k8s.api.core.v1.Probe', presence: 'optional', number: 11 },
      startupProbe: { of: 'io.k8s.api.core.v1.Probe', presence: 'optional', number: 22 },
      lifecycle: { of: 'io.k8s.api.core.v1.Lifecycle', presence: 'optional', number: 12 },
      terminationMessagePath: { of: 'text', number: 13 },
      terminationMessagePolicy: { of: 'text', number: 20 },
      imagePullPolicy: { of: 'text', number: 14 },
      securityContext: { of: 'io.k8s.api.core.v1.SecurityContext', presence: 'optional', number: 15 },
      stdin: { of: 'boolean', number: 16 },
      stdinOnce: { of: 'boolean', number: 17 },
      tty: { of: 'boolean', number: 18 },
    },
  },
  'io.k8s.api.core.v1.ContainerExtendedResourceRequest': {
    required: ['containerName', 'resourceName', 'requestName'],
    fields: {
      containerName: { of: 'text', presence: 'always', number: 1 },
      resourceName: { of: 'text', presence: 'always', number: 2 },
      requestName: { of: 'text', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.core.v1.ContainerImage': {
    fields: {
      names: { of: { list: 'text' }, presence: 'always', number: 1 },
      sizeBytes: { of: 'int64', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ContainerPort': {
    required: ['containerPort'],
    fields: {
      name: { of: 'text', number: 1 },
      hostPort: { of: 'int32', number: 2 },
      containerPort: { of: 'int32', presence: 'always', number: 3 },
      protocol: { of: 'text', default: 'TCP', number: 4 },
      hostIP: { of: 'text', number: 5 },
    },
  },
  'io.k8s.api.core.v1.ContainerResizePolicy': {
    required: ['resourceName', 'restartPolicy'],
    fields: {
      resourceName: { of: 'text', presence: 'always', number: 1 },
      restartPolicy: { of: 'text', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ContainerRestartRule': {
    required: ['action'],
    fields: {
      action: { of: 'text', number: 1 },
      exitCodes: { of: 'io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes': {
    required: ['operator'],
    fields: {
      operator: { of: 'text', number: 1 },
      values: { of: { list: 'int32', identity: 'set' }, number: 2 },
    },
  },
  'io.k8s.api.core.v1.ContainerState': {
    fields: {
      waiting: { of: 'io.k8s.api.core.v1.ContainerStateWaiting', presence: 'optional', number: 1 },
      running: { of: 'io.k8s.api.core.v1.ContainerStateRunning', presence: 'optional', number: 2 },
      terminated: { of: 'io.k8s.api.core.v1.ContainerStateTerminated', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.core.v1.ContainerStateRunning': {
    fields: {
      startedAt: { of: 'time', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.ContainerStateTerminated': {
    required: ['exitCode'],
    fields: {
      exitCode: { of: 'int32', presence: 'always', number: 1 },
      signal: { of: 'int32', number: 2 },
      reason: { of: 'text', number: 3 },
      message: { of: 'text', number: 4 },
      startedAt: { of: 'time', presence: 'always', number: 5 },
      finishedAt: { of: 'time', presence: 'always', number: 6 },
      containerID: { of: 'text', number: 7 },
    },
  },
  'io.k8s.api.core.v1.ContainerStateWaiting': {
    fields: {
      reason: { of: 'text', number: 1 },
      message: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ContainerStatus': {
    required: ['name', 'ready', 'restartCount', 'image', 'imageID'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      state: { of: 'io.k8s.api.core.v1.ContainerState', presence: 'always', number: 2 },
      lastState: { of: 'io.k8s.api.core.v1.ContainerState', presence: 'always', number: 3 },
      ready: { of: 'boolean', presence: 'always', number: 4 },
      restartCount: { of: 'int32', presence: 'always', number: 5 },
      image: { of: 'text', presence: 'always', number: 6 },
      imageID: { of: 'text', presence: 'always', number: 7 },
      containerID: { of: 'text', number: 8 },
      started: { of: 'boolean', presence: 'optional', number: 9 },
      allocatedResources: { of: { map: 'quantity' }, number: 10 },
      resources: { of: 'io.k8s.api.core.v1.ResourceRequirements', presence: 'optional', number: 11 },
      volumeMounts: {
        of: { list: 'io.k8s.api.core.v1.VolumeMountStatus', identity: ['mountPath'], patchMerge: 'mountPath' },
        number: 12,
      },
      user: { of: 'io.k8s.api.core.v1.ContainerUser', presence: 'optional', number: 13 },
      allocatedResourcesStatus: {
        of: { list: 'io.k8s.api.core.v1.ResourceStatus', identity: ['name'], patchMerge: 'name' },
        number: 14,
      },
      stopSignal: { of: 'text', presence: 'optional', number: 15 },
    },
  },
  'io.k8s.api.core.v1.ContainerUser': {
    fields: {
      linux: { of: 'io.k8s.api.core.v1.LinuxContainerUser', presence: 'optional', number: 1 },
    },
  },
  'io.k8s.api.core.v1.DaemonEndpoint': {
    required: ['Port'],
    fields: {
      Port: { of: 'int32', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.DownwardAPIProjection': {
    fields: {
      items: { of: { list: 'io.k8s.api.core.v1.DownwardAPIVolumeFile' }, number: 1 },
    },
  },
  'io.k8s.api.core.v1.DownwardAPIVolumeFile': {
    required: ['path'],
    fields: {
      path: { of: 'text', presence: 'always', number: 1 },
      fieldRef: { of: 'io.k8s.api.core.v1.ObjectFieldSelector', presence: 'optional', number: 2 },
      resourceFieldRef: { of: 'io.k8s.api.core.v1.ResourceFieldSelector', presence: 'optional', number: 3 },
      mode: { of: 'int32', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.DownwardAPIVolumeSource': {
    fields: {
      items: { of: { list: 'io.k8s.api.core.v1.DownwardAPIVolumeFile' }, number: 1 },
      defaultMode: { of: 'int32', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.EmptyDirVolumeSource': {
    fields: {
      medium: { of: 'text', number: 1 },
      sizeLimit: { of: 'quantity', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.EndpointAddress': {
    atomic: true,
    required: ['ip'],
    fields: {
      ip: { of: 'text', presence: 'always', number: 1 },
      hostname: { of: 'text', number: 3 },
      nodeName: { of: 'text', presence: 'optional', number: 4 },
      targetRef: { of: 'io.k8s.api.core.v1.ObjectReference', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.EndpointPort': {
    atomic: true,
    required: ['port'],
    fields: {
      name: { of: 'text', number: 1 },
      port: { of: 'int32', presence: 'always', number: 2 },
      protocol: { of: 'text', number: 3 },
      appProtocol: { of: 'text', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.EndpointSubset': {
    fields: {
      addresses: { of: { list: 'io.k8s.api.core.v1.EndpointAddress' }, number: 1 },
      notReadyAddresses: { of: { list: 'io.k8s.api.core.v1.EndpointAddress' }, number: 2 },
      ports: { of: { list: 'io.k8s.api.core.v1.EndpointPort' }, number: 3 },
    },
  },
  'io.k8s.api.core.v1.Endpoints': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      subsets: { of: { list: 'io.k8s.api.core.v1.EndpointSubset' }, number: 2 },
    },
  },
  'io.k8s.api.core.v1.EnvFromSource': {
    fields: {
      prefix: { of: 'text', number: 1 },
      configMapRef: { of: 'io.k8s.api.core.v1.ConfigMapEnvSource', presence: 'optional', number: 2 },
      secretRef: { of: 'io.k8s.api.core.v1.SecretEnvSource', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.core.v1.EnvVar': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      value: { of: 'text', number: 2 },
      valueFrom: { of: 'io.k8s.api.core.v1.EnvVarSource', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.core.v1.EnvVarSource': {
    fields: {
      fieldRef: { of: 'io.k8s.api.core.v1.ObjectFieldSelector', presence: 'optional', number: 1 },
      resourceFieldRef: { of: 'io.k8s.api.core.v1.ResourceFieldSelector', presence: 'optional', number: 2 },
      configMapKeyRef: { of: 'io.k8s.api.core.v1.ConfigMapKeySelector', presence: 'optional', number: 3 },
      secretKeyRef: { of: 'io.k8s.api.core.v1.SecretKeySelector', presence: 'optional', number: 4 },
      fileKeyRef: { of: 'io.k8s.api.core.v1.FileKeySelector', presence: 'optional', number: 5 },
    },
  },
  'io.k8s.api.core.v1.EphemeralContainer': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: [1, 1] },
      image: { of: 'text', number: [1, 2] },
      command: { of: { list: 'text' }, number: [1, 3] },
      args: { of: { list: 'text' }, number: [1, 4] },
      workingDir: { of: 'text', number: [1, 5] },
      ports: {
        of: {
          list: 'io.k8s.api.core.v1.ContainerPort',
          identity: ['containerPort', 'protocol'],
          patchMerge: 'containerPort',
        },
        number: [1, 6],
      },
      envFrom: { of: { list: 'io.k8s.api.core.v1.EnvFromSource' }, number: [1, 19] },
      env: { of: { list: 'io.k8s.api.core.v1.EnvVar', identity: ['name'], patchMerge: 'name' }, number: [1, 7] },
      resources: { of: 'io.k8s.api.core.v1.ResourceRequirements', presence: 'always', number: [1, 8] },
      resizePolicy: { of: { list: 'io.k8s.api.core.v1.ContainerResizePolicy' }, number: [1, 23] },
      restartPolicy: { of: 'text', presence: 'optional', number: [1, 24] },
      restartPolicyRules: { of: { list: 'io.k8s.api.core.v1.ContainerRestartRule' }, number: [1, 25] },
      volumeMounts: {
        of: { list: 'io.k8s.api.core.v1.VolumeMount', identity: ['mountPath'], patchMerge: 'mountPath' },
        number: [1, 9],
      },
      volumeDevices: {
        of: { list: 'io.k8s.api.core.v1.VolumeDevice', identity: ['devicePath'], patchMerge: 'devicePath' },
        number: [1, 21],
      },
      livenessProbe: { of: 'io.k8s.api.core.v1.Probe', presence: 'optional', number: [1, 10] },
      readinessProbe: { of: 'io.k8s.api.core.v1.Probe', presence: 'optional', number: [1, 11] },
      startupProbe: { of: 'io.k8s.api.core.v1.Probe', presence: 'optional', number: [1, 22] },
      lifecycle: { of: 'io.k8s.api.core.v1.Lifecycle', presence: 'optional', number: [1, 12] },
      terminationMessagePath: { of: 'text', number: [1, 13] },
      terminationMessagePolicy: { of: 'text', number: [1, 20] },
      imagePullPolicy: { of: 'text', number: [1, 14] },
      securityContext: { of: 'io.k8s.api.core.v1.SecurityContext', presence: 'optional', number: [1, 15] },
      stdin: { of: 'boolean', number: [1, 16] },
      stdinOnce: { of: 'boolean', number: [1, 17] },
      tty: { of: 'boolean', number: [1, 18] },
      targetContainerName: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.core.v1.EphemeralVolumeSource': {
    fields: {
      volumeClaimTemplate: { of: 'io.k8s.api.core.v1.PersistentVolumeClaimTemplate', presence: 'optional', number: 1 },
    },
  },
  'io.k8s.api.core.v1.Event': {
    required: ['metadata', 'involvedObject'],
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      involvedObject: { of: 'io.k8s.api.core.v1.ObjectReference', presence: 'always', number: 2 },
      reason: { of: 'text', number: 3 },
      message: { of: 'text', number: 4 },
      source: { of: 'io.k8s.api.core.v1.EventSource', presence: 'always', number: 5 },
      firstTimestamp: { of: 'time', presence: 'always', number: 6 },
      lastTimestamp: { of: 'time', presence: 'always', number: 7 },
      count: { of: 'int32', number: 8 },
      type: { of: 'text', number: 9 },
      eventTime: { of: 'microTime', presence: 'always', number: 10 },
      series: { of: 'io.k8s.api.core.v1.EventSeries', presence: 'optional', number: 11 },
      action: { of: 'text', number: 12 },
      related: { of: 'io.k8s.api.core.v1.ObjectReference', presence: 'optional', number: 13 },
      reportingComponent: { of: 'text', presence: 'always', number: 14 },
      reportingInstance: { of: 'text', presence: 'always', number: 15 },
    },
  },
  'io.k8s.api.core.v1.EventSeries': {
    fields: {
      count: { of: 'int32', number: 1 },
      lastObservedTime: { of: 'microTime', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.EventSource': {
    fields: {
      component: { of: 'text', number: 1 },
      host: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ExecAction': {
    fields: {
      command: { of: { list: 'text' }, number: 1 },
    },
  },
  'io.k8s.api.core.v1.FCVolumeSource': {
    fields: {
      targetWWNs: { of: { list: 'text' }, number: 1 },
      lun: { of: 'int32', presence: 'optional', number: 2 },
      fsType: { of: 'text', number: 3 },
      readOnly: { of: 'boolean', number: 4 },
      wwids: { of: { list: 'text' }, number: 5 },
    },
  },
  'io.k8s.api.core.v1.FileKeySelector': {
    atomic: true,
    required: ['volumeName', 'path', 'key'],
    fields: {
      volumeName: { of: 'text', presence: 'always', number: 1 },
      path: { of: 'text', presence: 'always', number: 2 },
      key: { of: 'text', presence: 'always', number: 3 },
      optional: { of: 'boolean', presence: 'optional', default: false, number: 4 },
    },
  },
  'io.k8s.api.core.v1.FlexVolumeSource': {
    required: ['driver'],
    fields: {
      driver: { of: 'text', presence: 'always', number: 1 },
      fsType: { of: 'text', number: 2 },
      secretRef: { of: 'io.k8s.api.core.v1.LocalObjectReference', presence: 'optional', number: 3 },
      readOnly: { of: 'boolean', number: 4 },
      options: { of: { map: 'text' }, number: 5 },
    },
  },
  'io.k8s.api.core.v1.FlockerVolumeSource': {
    fields: {
      datasetName: { of: 'text', number: 1 },
      datasetUUID: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.core.v1.GCEPersistentDiskVolumeSource': {
    required: ['pdName'],
    fields: {
      pdName: { of: 'text', presence: 'always', number: 1 },
      fsType: { of: 'text', number: 2 },
      partition: { of: 'int32', number: 3 },
      readOnly: { of: 'boolean', number: 4 },
    },
  },
  'io.k8s.api.core.v1.GRPCAction': {
    required: ['port'],
    fields: {
      port: { of: 'int32', presence: 'always', number: 1 },
      service: { of: 'text', presence: 'nullable', default: '', number: 2 },
    },
  },
  'io.k8s.api.core.v1.GitRepoVolumeSource': {
    required: ['repository'],
    fields: {
      repository: { of: 'text', presence: 'always', number: 1 },
      revision: { of: 'text', number: 2 },
      directory: { of: 'text', number: 3 },
    },
  },
  'io.k8s.api.core.v1.GlusterfsVolumeSource': {
    required: ['endpoints', 'path'],
    fields: {
      endpoints: { of: 'text', presence: 'always', number: 1 },
      path: { of: 'text', presence: 'always', number: 2 },
      readOnly: { of: 'boolean', number: 3 },
    },
  },
  'io.k8s.api.core.v1.HTTPGetAction': {
    required: ['port'],
    fields: {
      path: { of: 'text', number: 1 },
      port: { of: 'intOrString', presence: 'always', number: 2 },
      host: { of: 'text', number: 3 },
      scheme: { of: 'text', number: 4 },
      httpHeaders: { of: { list: 'io.k8s.api.core.v1.HTTPHeader' }, number: 5 },
    },
  },
  'io.k8s.api.core.v1.HTTPHeader': {
    required: ['name', 'value'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      value: { of: 'text', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.HostAlias': {
    required: ['ip'],
    fields: {
      ip: { of: 'text', presence: 'always', number: 1 },
      hostnames: { of: { list: 'text' }, number: 2 },
    },
  },
  'io.k8s.api.core.v1.HostIP': {
    required: ['ip'],
    fields: {
      ip: { of: 'text', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.HostPathVolumeSource': {
    required: ['path'],
    fields: {
      path: { of: 'text', presence: 'always', number: 1 },
      type: { of: 'text', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ISCSIVolumeSource': {
    required: ['targetPortal', 'iqn', 'lun'],
    fields: {
      targetPortal: { of: 'text', presence: 'always', number: 1 },
      iqn: { of: 'text', presence: 'always', number: 2 },
      lun: { of: 'int32', presence: 'always', number: 3 },
      iscsiInterface: { of: 'text', default: 'default', number: 4 },
      fsType: { of: 'text', number: 5 },
      readOnly: { of: 'boolean', number: 6 },
      portals: { of: { list: 'text' }, number: 7 },
      chapAuthDiscovery: { of: 'boolean', number: 8 },
      chapAuthSession: { of: 'boolean', number: 11 },
      secretRef: { of: 'io.k8s.api.core.v1.LocalObjectReference', presence: 'optional', number: 10 },
      initiatorName: { of: 'text', presence: 'optional', number: 12 },
    },
  },
  'io.k8s.api.core.v1.ImageVolumeSource': {
    fields: {
      reference: { of: 'text', number: 1 },
      pullPolicy: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ImageVolumeStatus': {
    required: ['imageRef'],
    fields: {
      imageRef: { of: 'text', number: 1 },
    },
  },
  'io.k8s.api.core.v1.KeyToPath': {
    required: ['key', 'path'],
    fields: {
      key: { of: 'text', presence: 'always', number: 1 },
      path: { of: 'text', presence: 'always', number: 2 },
      mode: { of: 'int32', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.core.v1.Lifecycle': {
    fields: {
      postStart: { of: 'io.k8s.api.core.v1.LifecycleHandler', presence: 'optional', number: 1 },
      preStop: { of: 'io.k8s.api.core.v1.LifecycleHandler', presence: 'optional', number: 2 },
      stopSignal: { of: 'text', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.core.v1.LifecycleHandler': {
    fields: {
      exec: { of: 'io.k8s.api.core.v1.ExecAction', presence: 'optional', number: 1 },
      httpGet: { of: 'io.k8s.api.core.v1.HTTPGetAction', presence: 'optional', number: 2 },
      tcpSocket: { of: 'io.k8s.api.core.v1.TCPSocketAction', presence: 'optional', number: 3 },
      sleep: { of: 'io.k8s.api.core.v1.SleepAction', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.LinuxContainerUser': {
    required: ['uid', 'gid'],
    fields: {
      uid: { of: 'int64', presence: 'always', number: 1 },
      gid: { of: 'int64', presence: 'always', number: 2 },
      supplementalGroups: { of: { list: 'int64' }, number: 3 },
    },
  },
  'io.k8s.api.core.v1.LoadBalancerIngress': {
    fields: {
      ip: { of: 'text', number: 1 },
      hostname: { of: 'text', number: 2 },
      ipMode: { of: 'text', presence: 'optional', number: 3 },
      ports: { of: { list: 'io.k8s.api.core.v1.PortStatus' }, number: 4 },
    },
  },
  'io.k8s.api.core.v1.LoadBalancerStatus': {
    fields: {
      ingress: { of: { list: 'io.k8s.api.core.v1.LoadBalancerIngress' }, number: 1 },
    },
  },
  'io.k8s.api.core.v1.LocalObjectReference': {
    atomic: true,
    fields: {
      name: { of: 'text', default: '', number: 1 },
    },
  },
  'io.k8s.api.core.v1.NFSVolumeSource': {
    required: ['server', 'path'],
    fields: {
      server: { of: 'text', presence: 'always', number: 1 },
      path: { of: 'text', presence: 'always', number: 2 },
      readOnly: { of: 'boolean', number: 3 },
    },
  },
  'io.k8s.api.core.v1.Namespace': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.core.v1.NamespaceSpec', presence: 'always', number: 2 },
      status: { of: 'io.k8s.api.core.v1.NamespaceStatus', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.core.v1.NamespaceCondition': {
    required: ['type', 'status'],
    fields: {
      type: { of: 'text', presence: 'always', number: 1 },
      status: { of: 'text', presence: 'always', number: 2 },
      lastTransitionTime: { of: 'time', presence: 'always', number: 4 },
      reason: { of: 'text', number: 5 },
      message: { of: 'text', number: 6 },
    },
  },
  'io.k8s.api.core.v1.NamespaceSpec': {
    fields: {
      finalizers: { of: { list: 'text' }, number: 1 },
    },
  },
  'io.k8s.api.core.v1.NamespaceStatus': {
    fields: {
      phase: { of: 'text', number: 1 },
      conditions: {
        of: { list: 'io.k8s.api.core.v1.NamespaceCondition', identity: ['type'], patchMerge: 'type' },
        number: 2,
      },
    },
  },
  'io.k8s.api.core.v1.Node': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.core.v1.NodeSpec', presence: 'always', number: 2 },
      status: { of: 'io.k8s.api.core.v1.NodeStatus', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.core.v1.NodeAddress': {
    required: ['type', 'address'],
    fields: {
      type: { of: 'text', presence: 'always', number: 1 },
      address: { of: 'text', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.NodeAffinity': {
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        of: 'io.k8s.api.core.v1.NodeSelector',
        presence: 'optional',
        number: 1,
      },
      preferredDuringSchedulingIgnoredDuringExecution: {
        of: { list: 'io.k8s.api.core.v1.PreferredSchedulingTerm' },
        number: 2,
      },
    },
  },
  'io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus': {
    required: ['resourceClaimName', 'resources'],
    fields: {
      resourceClaimName: { of: 'text', presence: 'always', number: 1 },
      containers: { of: { list: 'text', identity: 'set' }, number: 2 },
      resources: { of: { map: 'quantity' }, presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.core.v1.NodeCondition': {
    required: ['type', 'status'],
    fields: {
      type: { of: 'text', presence: 'always', number: 1 },
      status: { of: 'text', presence: 'always', number: 2 },
      lastHeartbeatTime: { of: 'time', presence: 'always', number: 3 },
      lastTransitionTime: { of: 'time', presence: 'always', number: 4 },
      reason: { of: 'text', number: 5 },
      message: { of: 'text', number: 6 },
    },
  },
  'io.k8s.api.core.v1.NodeConfigSource': {
    fields: {
      configMap: { of: 'io.k8s.api.core.v1.ConfigMapNodeConfigSource', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.NodeConfigStatus': {
    fields: {
      assigned: { of: 'io.k8s.api.core.v1.NodeConfigSource', presence: 'optional', number: 1 },
      active: { of: 'io.k8s.api.core.v1.NodeConfigSource', presence: 'optional', number: 2 },
      lastKnownGood: { of: 'io.k8s.api.core.v1.NodeConfigSource', presence: 'optional', number: 3 },
      error: { of: 'text', number: 4 },
    },
  },
  'io.k8s.api.core.v1.NodeDaemonEndpoints': {
    fields: {
      kubeletEndpoint: { of: 'io.k8s.api.core.v1.DaemonEndpoint', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.NodeFeatures': {
    fields: {
      supplementalGroupsPolicy: { of: 'boolean', presence: 'optional', number: 1 },
    },
  },
  'io.k8s.api.core.v1.NodeRuntimeHandler': {
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      features: { of: 'io.k8s.api.core.v1.NodeRuntimeHandlerFeatures', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.NodeRuntimeHandlerFeatures': {
    fields: {
      recursiveReadOnlyMounts: { of: 'boolean', presence: 'optional', number: 1 },
      userNamespaces: { of: 'boolean', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.NodeSelector': {
    atomic: true,
    required: ['nodeSelectorTerms'],
    fields: {
      nodeSelectorTerms: { of: { list: 'io.k8s.api.core.v1.NodeSelectorTerm' }, presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.NodeSelectorRequirement': {
    required: ['key', 'operator'],
    fields: {
      key: { of: 'text', presence: 'always', number: 1 },
      operator: { of: 'text', presence: 'always', number: 2 },
      values: { of: { list: 'text' }, number: 3 },
    },
  },
  'io.k8s.api.core.v1.NodeSelectorTerm': {
    atomic: true,
    fields: {
      matchExpressions: { of: { list: 'io.k8s.api.core.v1.NodeSelectorRequirement' }, number: 1 },
      matchFields: { of: { list: 'io.k8s.api.core.v1.NodeSelectorRequirement' }, number: 2 },
    },
  },
  'io.k8s.api.core.v1.NodeSpec': {
    fields: {
      podCIDR: { of: 'text', number: 1 },
      podCIDRs: { of: { list: 'text', identity: 'set', patchMerge: true }, number: 7 },
      providerID: { of: 'text', number: 3 },
      unschedulable: { of: 'boolean', number: 4 },
      taints: { of: { list: 'io.k8s.api.core.v1.Taint' }, number: 5 },
      configSource: { of: 'io.k8s.api.core.v1.NodeConfigSource', presence: 'optional', number: 6 },
      externalID: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.core.v1.NodeStatus': {
    fields: {
      capacity: { of: { map: 'quantity' }, number: 1 },
      allocatable: { of: { map: 'quantity' }, number: 2 },
      phase: { of: 'text', number: 3 },
      conditions: {
        of: { list: 'io.k8s.api.core.v1.NodeCondition', identity: ['type'], patchMerge: 'type' },
        number: 4,
      },
      addresses: { of: { list: 'io.k8s.api.core.v1.NodeAddress', identity: ['type'], patchMerge: 'type' }, number: 5 },
      daemonEndpoints: { of: 'io.k8s.api.core.v1.NodeDaemonEndpoints', presence: 'always', number: 6 },
      nodeInfo: { of: 'io.k8s.api.core.v1.NodeSystemInfo', presence: 'always', number: 7 },
      images: { of: { list: 'io.k8s.api.core.v1.ContainerImage' }, number: 8 },
      volumesInUse: { of: { list: 'text' }, number: 9 },
      volumesAttached: { of: { list: 'io.k8s.api.core.v1.AttachedVolume' }, number: 10 },
      config: { of: 'io.k8s.api.core.v1.NodeConfigStatus', presence: 'optional', number: 11 },
      runtimeHandlers: { of: { list: 'io.k8s.api.core.v1.NodeRuntimeHandler' }, number: 12 },
      features: { of: 'io.k8s.api.core.v1.NodeFeatures', presence: 'optional', number: 13 },
      declaredFeatures: { of: { list: 'text' }, number: 14 },
    },
  },
  'io.k8s.api.core.v1.NodeSwapStatus': {
    fields: {
      capacity: { of: 'int64', presence: 'optional', number: 1 },
    },
  },
  'io.k8s.api.core.v1.NodeSystemInfo': {
    required: [
      'machineID',
      'systemUUID',
      'bootID',
      'kernelVersion',
      'osImage',
      'containerRuntimeVersion',
      'kubeletVersion',
      'kubeProxyVersion',
      'operatingSystem',
      'architecture',
    ],
    fields: {
      machineID: { of: 'text', presence: 'always', number: 1 },
      systemUUID: { of: 'text', presence: 'always', number: 2 },
      bootID: { of: 'text', presence: 'always', number: 3 },
      kernelVersion: { of: 'text', presence: 'always', number: 4 },
      osImage: { of: 'text', presence: 'always', number: 5 },
      containerRuntimeVersion: { of: 'text', presence: 'always', number: 6 },
      kubeletVersion: { of: 'text', presence: 'always', number: 7 },
      kubeProxyVersion: { of: 'text', presence: 'always', number: 8 },
      operatingSystem: { of: 'text', presence: 'always', number: 9 },
      architecture: { of: 'text', presence: 'always', number: 10 },
      swap: { of: 'io.k8s.api.core.v1.NodeSwapStatus', presence: 'optional', number: 11 },
    },
  },
  'io.k8s.api.core.v1.ObjectFieldSelector': {
    atomic: true,
    required: ['fieldPath'],
    fields: {
      apiVersion: { of: 'text', number: 1 },
      fieldPath: { of: 'text', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ObjectReference': {
    atomic: true,
    fields: {
      kind: { of: 'text', number: 1 },
      namespace: { of: 'text', number: 2 },
      name: { of: 'text', number: 3 },
      uid: { of: 'text', number: 4 },
      apiVersion: { of: 'text', number: 5 },
      resourceVersion: { of: 'text', number: 6 },
      fieldPath: { of: 'text', number: 7 },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec': {
    fields: {
      accessModes: { of: { list: 'text' }, number: 1 },
      selector: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', presence: 'optional', number: 4 },
      resources: { of: 'io.k8s.api.core.v1.VolumeResourceRequirements', presence: 'always', number: 2 },
      volumeName: { of: 'text', number: 3 },
      storageClassName: { of: 'text', presence: 'optional', number: 5 },
      volumeMode: { of: 'text', presence: 'optional', number: 6 },
      dataSource: { of: 'io.k8s.api.core.v1.TypedLocalObjectReference', presence: 'optional', number: 7 },
      dataSourceRef: { of: 'io.k8s.api.core.v1.TypedObjectReference', presence: 'optional', number: 8 },
      volumeAttributesClassName: { of: 'text', presence: 'optional', number: 9 },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeClaimTemplate': {
    required: ['spec'],
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.core.v1.PersistentVolumeClaimSpec', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource': {
    required: ['claimName'],
    fields: {
      claimName: { of: 'text', presence: 'always', number: 1 },
      readOnly: { of: 'boolean', number: 2 },
    },
  },
  'io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource': {
    required: ['pdID'],
    fields: {
      pdID: { of: 'text', presence: 'always', number: 1 },
      fsType: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.core.v1.Pod': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.core.v1.PodSpec', presence: 'always', number: 2 },
      status: { of: 'io.k8s.api.core.v1.PodStatus', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.core.v1.PodAffinity': {
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution: { of: { list: 'io.k8s.api.core.v1.PodAffinityTerm' }, number: 1 },
      preferredDuringSchedulingIgnoredDuringExecution: {
        of: { list: 'io.k8s.api.core.v1.WeightedPodAffinityTerm' },
        number: 2,
      },
    },
  },
  'io.k8s.api.core.v1.PodAffinityTerm': {
    required: ['topologyKey'],
    fields: {
      labelSelector: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', presence: 'optional', number: 1 },
      namespaces: { of: { list: 'text' }, number: 2 },
      topologyKey: { of: 'text', presence: 'always', number: 3 },
      namespaceSelector: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', presence: 'optional', number: 4 },
      matchLabelKeys: { of: { list: 'text' }, number: 5 },
      mismatchLabelKeys: { of: { list: 'text' }, number: 6 },
    },
  },
  'io.k8s.api.core.v1.PodAntiAffinity': {
    fields: {
      requiredDuringSchedulingIgnoredDuringExecution: { of: { list: 'io.k8s.api.core.v1.PodAffinityTerm' }, number: 1 },
      preferredDuringSchedulingIgnoredDuringExecution: {
        of: { list: 'io.k8s.api.core.v1.WeightedPodAffinityTerm' },
        number: 2,
      },
    },
  },
  'io.k8s.api.core.v1.PodCertificateProjection': {
    required: ['signerName', 'keyType'],
    fields: {
      signerName: { of: 'text', number: 1 },
      keyType: { of: 'text', number: 2 },
      maxExpirationSeconds: { of: 'int32', presence: 'optional', number: 3 },
      credentialBundlePath: { of: 'text', number: 4 },
      keyPath: { of: 'text', number: 5 },
      certificateChainPath: { of: 'text', number: 6 },
      userAnnotations: { of: { map: 'text' }, number: 7 },
    },
  },
  'io.k8s.api.core.v1.PodCondition': {
    required: ['type', 'status'],
    fields: {
      type: { of: 'text', presence: 'always', number: 1 },
      observedGeneration: { of: 'int64', number: 7 },
      status: { of: 'text', presence: 'always', number: 2 },
      lastProbeTime: { of: 'time', presence: 'always', number: 3 },
      lastTransitionTime: { of: 'time', presence: 'always', number: 4 },
      reason: { of: 'text', number: 5 },
      message: { of: 'text', number: 6 },
    },
  },
  'io.k8s.api.core.v1.PodDNSConfig': {
    fields: {
      nameservers: { of: { list: 'text' }, number: 1 },
      searches: { of: { list: 'text' }, number: 2 },
      options: { of: { list: 'io.k8s.api.core.v1.PodDNSConfigOption' }, number: 3 },
    },
  },
  'io.k8s.api.core.v1.PodDNSConfigOption': {
    fields: {
      name: { of: 'text', number: 1 },
      value: { of: 'text', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.PodExtendedResourceClaimStatus': {
    required: ['requestMappings', 'resourceClaimName'],
    fields: {
      requestMappings: {
        of: { list: 'io.k8s.api.core.v1.ContainerExtendedResourceRequest' },
        presence: 'always',
        number: 1,
      },
      resourceClaimName: { of: 'text', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.PodIP': {
    required: ['ip'],
    fields: {
      ip: { of: 'text', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.PodOS': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.PodReadinessGate': {
    required: ['conditionType'],
    fields: {
      conditionType: { of: 'text', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.PodResourceClaim': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      resourceClaimName: { of: 'text', presence: 'optional', number: 3 },
      resourceClaimTemplateName: { of: 'text', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.PodResourceClaimStatus': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      resourceClaimName: { of: 'text', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.PodSchedulingGate': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.PodSchedulingGroup': {
    fields: {
      podGroupName: { of: 'text', presence: 'optional', number: 1 },
    },
  },
  'io.k8s.api.core.v1.PodSecurityContext': {
    fields: {
      seLinuxOptions: { of: 'io.k8s.api.core.v1.SELinuxOptions', presence: 'optional', number: 1 },
      windowsOptions: { of: 'io.k8s.api.core.v1.WindowsSecurityContextOptions', presence: 'optional', number: 8 },
      runAsUser: { of: 'int64', presence: 'optional', number: 2 },
      runAsGroup: { of: 'int64', presence: 'optional', number: 6 },
      runAsNonRoot: { of: 'boolean', presence: 'optional', number: 3 },
      supplementalGroups: { of: { list: 'int64' }, number: 4 },
      supplementalGroupsPolicy: { of: 'text', presence: 'optional', number: 12 },
      fsGroup: { of: 'int64', presence: 'optional', number: 5 },
      sysctls: { of: { list: 'io.k8s.api.core.v1.Sysctl' }, number: 7 },
      fsGroupChangePolicy: { of: 'text', presence: 'optional', number: 9 },
      seccompProfile: { of: 'io.k8s.api.core.v1.SeccompProfile', presence: 'optional', number: 10 },
      appArmorProfile: { of: 'io.k8s.api.core.v1.AppArmorProfile', presence: 'optional', number: 11 },
      seLinuxChangePolicy: { of: 'text', presence: 'optional', number: 13 },
    },
  },
  'io.k8s.api.core.v1.PodSpec': {
    required: ['containers'],
    fields: {
      volumes: {
        of: { list: 'io.k8s.api.core.v1.Volume', identity: ['name'], patchMerge: 'name', retainKeys: true },
        number: 1,
      },
      initContainers: {
        of: { list: 'io.k8s.api.core.v1.Container', identity: ['name'], patchMerge: 'name' },
        number: 20,
      },
      containers: {
        of: { list: 'io.k8s.api.core.v1.Container', identity: ['name'], patchMerge: 'name' },
        presence: 'always',
        number: 2,
      },
      ephemeralContainers: {
        of: { list: 'io.k8s.api.core.v1.EphemeralContainer', identity: ['name'], patchMerge: 'name' },
        number: 34,
      },
      restartPolicy: { of: 'text', number: 3 },
      terminationGracePeriodSeconds: { of: 'int64', presence: 'optional', number: 4 },
      activeDeadlineSeconds: { of: 'int64', presence: 'optional', number: 5 },
      dnsPolicy: { of: 'text', number: 6 },
      nodeSelector: { of: { map: 'text', atomic: true }, number: 7 },
      serviceAccountName: { of: 'text', number: 8 },
      serviceAccount: { of: 'text', number: 9 },
      automountServiceAccountToken: { of: 'boolean', presence: 'optional', number: 21 },
      nodeName: { of: 'text', number: 10 },
      hostNetwork: { of: 'boolean', number: 11 },
      hostPID: { of: 'boolean', number: 12 },
      hostIPC: { of: 'boolean', number: 13 },
      shareProcessNamespace: { of: 'boolean', presence: 'optional', number: 27 },
      securityContext: { of: 'io.k8s.api.core.v1.PodSecurityContext', presence: 'optional', number: 14 },
      imagePullSecrets: {
        of: { list: 'io.k8s.api.core.v1.LocalObjectReference', identity: ['name'], patchMerge: 'name' },
        number: 15,
      },
      hostname: { of: 'text', number: 16 },
      subdomain: { of: 'text', number: 17 },
      affinity: { of: 'io.k8s.api.core.v1.Affinity', presence: 'optional', number: 18 },
      schedulerName: { of: 'text', number: 19 },
      tolerations: { of: { list: 'io.k8s.api.core.v1.Toleration' }, number: 22 },
      hostAliases: { of: { list: 'io.k8s.api.core.v1.HostAlias', identity: ['ip'], patchMerge: 'ip' }, number: 23 },
      priorityClassName: { of: 'text', number: 24 },
      priority: { of: 'int32', presence: 'optional', number: 25 },
      dnsConfig: { of: 'io.k8s.api.core.v1.PodDNSConfig', presence: 'optional', number: 26 },
      readinessGates: { of: { list: 'io.k8s.api.core.v1.PodReadinessGate' }, number: 28 },
      runtimeClassName: { of: 'text', presence: 'optional', number: 29 },
      enableServiceLinks: { of: 'boolean', presence: 'optional', number: 30 },
      preemptionPolicy: { of: 'text', presence: 'optional', number: 31 },
      overhead: { of: { map: 'quantity' }, number: 32 },
      topologySpreadConstraints: {
        of: {
          list: 'io.k8s.api.core.v1.TopologySpreadConstraint',
          identity: ['topologyKey', 'whenUnsatisfiable'],
          patchMerge: 'topologyKey',
        },
        number: 33,
      },
      setHostnameAsFQDN: { of: 'boolean', presence: 'optional', number: 35 },
      os: { of: 'io.k8s.api.core.v1.PodOS', presence: 'optional', number: 36 },
      hostUsers: { of: 'boolean', presence: 'optional', number: 37 },
      schedulingGates: {
        of: { list: 'io.k8s.api.core.v1.PodSchedulingGate', identity: ['name'], patchMerge: 'name' },
        number: 38,
      },
      resourceClaims: {
        of: { list: 'io.k8s.api.core.v1.PodResourceClaim', identity: ['name'], patchMerge: 'name', retainKeys: true },
        number: 39,
      },
      resources: { of: 'io.k8s.api.core.v1.ResourceRequirements', presence: 'optional', number: 40 },
      hostnameOverride: { of: 'text', presence: 'optional', number: 41 },
      schedulingGroup: { of: 'io.k8s.api.core.v1.PodSchedulingGroup', presence: 'optional', number: 43 },
    },
  },
  'io.k8s.api.core.v1.PodStatus': {
    fields: {
      observedGeneration: { of: 'int64', number: 17 },
      phase: { of: 'text', number: 1 },
      conditions: {
        of: { list: 'io.k8s.api.core.v1.PodCondition', identity: ['type'], patchMerge: 'type' },
        number: 2,
      },
      message: { of: 'text', number: 3 },
      reason: { of: 'text', number: 4 },
      nominatedNodeName: { of: 'text', number: 11 },
      hostIP: { of: 'text', number: 5 },
      hostIPs: { of: { list: 'io.k8s.api.core.v1.HostIP', patchMerge: 'ip' }, number: 16 },
      podIP: { of: 'text', number: 6 },
      podIPs: { of: { list: 'io.k8s.api.core.v1.PodIP', identity: ['ip'], patchMerge: 'ip' }, number: 12 },
      startTime: { of: 'time', presence: 'optional', number: 7 },
      initContainerStatuses: { of: { list: 'io.k8s.api.core.v1.ContainerStatus' }, number: 10 },
      containerStatuses: { of: { list: 'io.k8s.api.core.v1.ContainerStatus' }, number: 8 },
      qosClass: { of: 'text', number: 9 },
      ephemeralContainerStatuses: { of: { list: 'io.k8s.api.core.v1.ContainerStatus' }, number: 13 },
      resize: { of: 'text', number: 14 },
      resourceClaimStatuses: {
        of: {
          list: 'io.k8s.api.core.v1.PodResourceClaimStatus',
          identity: ['name'],
          patchMerge: 'name',
          retainKeys: true,
        },
        number: 15,
      },
      extendedResourceClaimStatus: {
        of: 'io.k8s.api.core.v1.PodExtendedResourceClaimStatus',
        presence: 'optional',
        number: 18,
      },
      allocatedResources: { of: { map: 'quantity' }, number: 19 },
      resources: { of: 'io.k8s.api.core.v1.ResourceRequirements', presence: 'optional', number: 20 },
      nodeAllocatableResourceClaimStatuses: {
        of: { list: 'io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus' },
        number: 21,
      },
    },
  },
  'io.k8s.api.core.v1.PodTemplateSpec': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.core.v1.PodSpec', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.PortStatus': {
    required: ['port', 'protocol'],
    fields: {
      port: { of: 'int32', presence: 'always', number: 1 },
      protocol: { of: 'text', presence: 'always', number: 2 },
      error: { of: 'text', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.core.v1.PortworxVolumeSource': {
    required: ['volumeID'],
    fields: {
      volumeID: { of: 'text', presence: 'always', number: 1 },
      fsType: { of: 'text', number: 2 },
      readOnly: { of: 'boolean', number: 3 },
    },
  },
  'io.k8s.api.core.v1.PreferredSchedulingTerm': {
    required: ['weight', 'preference'],
    fields: {
      weight: { of: 'int32', presence: 'always', number: 1 },
      preference: { of: 'io.k8s.api.core.v1.NodeSelectorTerm', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.Probe': {
    fields: {
      exec: { of: 'io.k8s.api.core.v1.ExecAction', presence: 'optional', number: [1, 1] },
      httpGet: { of: 'io.k8s.api.core.v1.HTTPGetAction', presence: 'optional', number: [1, 2] },
      tcpSocket: { of: 'io.k8s.api.core.v1.TCPSocketAction', presence: 'optional', number: [1, 3] },
      grpc: { of: 'io.k8s.api.core.v1.GRPCAction', presence: 'optional', number: [1, 4] },
      initialDelaySeconds: { of: 'int32', number: 2 },
      timeoutSeconds: { of: 'int32', number: 3 },
      periodSeconds: { of: 'int32', number: 4 },
      successThreshold: { of: 'int32', number: 5 },
      failureThreshold: { of: 'int32', number: 6 },
      terminationGracePeriodSeconds: { of: 'int64', presence: 'optional', number: 7 },
    },
  },
  'io.k8s.api.core.v1.ProjectedVolumeSource': {
    fields: {
      sources: { of: { list: 'io.k8s.api.core.v1.VolumeProjection' }, presence: 'always', number: 1 },
      defaultMode: { of: 'int32', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.QuobyteVolumeSource': {
    required: ['registry', 'volume'],
    fields: {
      registry: { of: 'text', presence: 'always', number: 1 },
      volume: { of: 'text', presence: 'always', number: 2 },
      readOnly: { of: 'boolean', number: 3 },
      user: { of: 'text', number: 4 },
      group: { of: 'text', number: 5 },
      tenant: { of: 'text', number: 6 },
    },
  },
  'io.k8s.api.core.v1.RBDVolumeSource': {
    required: ['monitors', 'image'],
    fields: {
      monitors: { of: { list: 'text' }, presence: 'always', number: 1 },
      image: { of: 'text', presence: 'always', number: 2 },
      fsType: { of: 'text', number: 3 },
      pool: { of: 'text', default: 'rbd', number: 4 },
      user: { of: 'text', default: 'admin', number: 5 },
      keyring: { of: 'text', default: '/etc/ceph/keyring', number: 6 },
      secretRef: { of: 'io.k8s.api.core.v1.LocalObjectReference', presence: 'optional', number: 7 },
      readOnly: { of: 'boolean', number: 8 },
    },
  },
  'io.k8s.api.core.v1.ResourceClaim': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      request: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.core.v1.ResourceFieldSelector': {
    atomic: true,
    required: ['resource'],
    fields: {
      containerName: { of: 'text', number: 1 },
      resource: { of: 'text', presence: 'always', number: 2 },
      divisor: { of: 'quantity', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.core.v1.ResourceHealth': {
    required: ['resourceID'],
    fields: {
      resourceID: { of: 'text', presence: 'always', number: 1 },
      health: { of: 'text', number: 2 },
      message: { of: 'text', presence: 'optional', number: 6 },
    },
  },
  'io.k8s.api.core.v1.ResourceRequirements': {
    fields: {
      limits: { of: { map: 'quantity' }, number: 1 },
      requests: { of: { map: 'quantity' }, number: 2 },
      claims: { of: { list: 'io.k8s.api.core.v1.ResourceClaim', identity: ['name'] }, number: 3 },
    },
  },
  'io.k8s.api.core.v1.ResourceStatus': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      resources: { of: { list: 'io.k8s.api.core.v1.ResourceHealth', identity: ['resourceID'] }, number: 2 },
    },
  },
  'io.k8s.api.core.v1.SELinuxOptions': {
    fields: {
      user: { of: 'text', number: 1 },
      role: { of: 'text', number: 2 },
      type: { of: 'text', number: 3 },
      level: { of: 'text', number: 4 },
    },
  },
  'io.k8s.api.core.v1.ScaleIOVolumeSource': {
    required: ['gateway', 'system', 'secretRef'],
    fields: {
      gateway: { of: 'text', presence: 'always', number: 1 },
      system: { of: 'text', presence: 'always', number: 2 },
      secretRef: { of: 'io.k8s.api.core.v1.LocalObjectReference', presence: 'nullable', number: 3 },
      sslEnabled: { of: 'boolean', number: 4 },
      protectionDomain: { of: 'text', number: 5 },
      storagePool: { of: 'text', number: 6 },
      storageMode: { of: 'text', default: 'ThinProvisioned', number: 7 },
      volumeName: { of: 'text', number: 8 },
      fsType: { of: 'text', default: 'xfs', number: 9 },
      readOnly: { of: 'boolean', number: 10 },
    },
  },
  'io.k8s.api.core.v1.SeccompProfile': {
    required: ['type'],
    fields: {
      type: { of: 'text', presence: 'always', number: 1 },
      localhostProfile: { of: 'text', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.Secret': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      immutable: { of: 'boolean', presence: 'optional', number: 5 },
      data: { of: { map: 'bytes' }, number: 2 },
      stringData: { of: { map: 'text' }, number: 4 },
      type: { of: 'text', number: 3 },
    },
  },
  'io.k8s.api.core.v1.SecretEnvSource': {
    fields: {
      name: { of: 'text', default: '', number: [1, 1] },
      optional: { of: 'boolean', presence: 'optional', number: 2 },
    },
  },
  'io.k8s.api.core.v1.SecretKeySelector': {
    atomic: true,
    required: ['key'],
    fields: {
      name: { of: 'text', default: '', number: [1, 1] },
      key: { of: 'text', presence: 'always', number: 2 },
      optional: { of: 'boolean', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.core.v1.SecretProjection': {
    fields: {
      name: { of: 'text', default: '', number: [1, 1] },
      items: { of: { list: 'io.k8s.api.core.v1.KeyToPath' }, number: 2 },
      optional: { of: 'boolean', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.SecretVolumeSource': {
    fields: {
      secretName: { of: 'text', number: 1 },
      items: { of: { list: 'io.k8s.api.core.v1.KeyToPath' }, number: 2 },
      defaultMode: { of: 'int32', presence: 'optional', number: 3 },
      optional: { of: 'boolean', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.SecurityContext': {
    fields: {
      capabilities: { of: 'io.k8s.api.core.v1.Capabilities', presence: 'optional', number: 1 },
      privileged: { of: 'boolean', presence: 'optional', number: 2 },
      seLinuxOptions: { of: 'io.k8s.api.core.v1.SELinuxOptions', presence: 'optional', number: 3 },
      windowsOptions: { of: 'io.k8s.api.core.v1.WindowsSecurityContextOptions', presence: 'optional', number: 10 },
      runAsUser: { of: 'int64', presence: 'optional', number: 4 },
      runAsGroup: { of: 'int64', presence: 'optional', number: 8 },
      runAsNonRoot: { of: 'boolean', presence: 'optional', number: 5 },
      readOnlyRootFilesystem: { of: 'boolean', presence: 'optional', number: 6 },
      allowPrivilegeEscalation: { of: 'boolean', presence: 'optional', number: 7 },
      procMount: { of: 'text', presence: 'optional', number: 9 },
      seccompProfile: { of: 'io.k8s.api.core.v1.SeccompProfile', presence: 'optional', number: 11 },
      appArmorProfile: { of: 'io.k8s.api.core.v1.AppArmorProfile', presence: 'optional', number: 12 },
    },
  },
  'io.k8s.api.core.v1.Service': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: { of: 'io.k8s.api.core.v1.ServiceSpec', presence: 'always', number: 2 },
      status: { of: 'io.k8s.api.core.v1.ServiceStatus', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.core.v1.ServiceAccount': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      secrets: {
        of: { list: 'io.k8s.api.core.v1.ObjectReference', identity: ['name'], patchMerge: 'name' },
        number: 2,
      },
      imagePullSecrets: { of: { list: 'io.k8s.api.core.v1.LocalObjectReference' }, number: 3 },
      automountServiceAccountToken: { of: 'boolean', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.ServiceAccountTokenProjection': {
    required: ['path'],
    fields: {
      audience: { of: 'text', number: 1 },
      expirationSeconds: { of: 'int64', presence: 'optional', number: 2 },
      path: { of: 'text', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.core.v1.ServicePort': {
    required: ['port'],
    fields: {
      name: { of: 'text', number: 1 },
      protocol: { of: 'text', default: 'TCP', number: 2 },
      appProtocol: { of: 'text', presence: 'optional', number: 6 },
      port: { of: 'int32', presence: 'always', number: 3 },
      targetPort: { of: 'intOrString', presence: 'always', number: 4 },
      nodePort: { of: 'int32', number: 5 },
    },
  },
  'io.k8s.api.core.v1.ServiceSpec': {
    fields: {
      ports: {
        of: { list: 'io.k8s.api.core.v1.ServicePort', identity: ['port', 'protocol'], patchMerge: 'port' },
        number: 1,
      },
      selector: { of: { map: 'text', atomic: true }, number: 2 },
      clusterIP: { of: 'text', number: 3 },
      clusterIPs: { of: { list: 'text' }, number: 18 },
      type: { of: 'text', number: 4 },
      externalIPs: { of: { list: 'text' }, number: 5 },
      sessionAffinity: { of: 'text', number: 7 },
      loadBalancerIP: { of: 'text', number: 8 },
      loadBalancerSourceRanges: { of: { list: 'text' }, number: 9 },
      externalName: { of: 'text', number: 10 },
      externalTrafficPolicy: { of: 'text', number: 11 },
      healthCheckNodePort: { of: 'int32', number: 12 },
      publishNotReadyAddresses: { of: 'boolean', number: 13 },
      sessionAffinityConfig: { of: 'io.k8s.api.core.v1.SessionAffinityConfig', presence: 'optional', number: 14 },
      ipFamilies: { of: { list: 'text' }, number: 19 },
      ipFamilyPolicy: { of: 'text', presence: 'optional', number: 17 },
      allocateLoadBalancerNodePorts: { of: 'boolean', presence: 'optional', number: 20 },
      loadBalancerClass: { of: 'text', presence: 'optional', number: 21 },
      internalTrafficPolicy: { of: 'text', presence: 'optional', number: 22 },
      trafficDistribution: { of: 'text', presence: 'optional', number: 23 },
    },
  },
  'io.k8s.api.core.v1.ServiceStatus': {
    fields: {
      loadBalancer: { of: 'io.k8s.api.core.v1.LoadBalancerStatus', presence: 'always', number: 1 },
      conditions: {
        of: { list: 'io.k8s.apimachinery.pkg.apis.meta.v1.Condition', identity: ['type'], patchMerge: 'type' },
        number: 2,
      },
    },
  },
  'io.k8s.api.core.v1.SessionAffinityConfig': {
    fields: {
      clientIP: { of: 'io.k8s.api.core.v1.ClientIPConfig', presence: 'optional', number: 1 },
    },
  },
  'io.k8s.api.core.v1.SleepAction': {
    required: ['seconds'],
    fields: {
      seconds: { of: 'int64', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.core.v1.StorageOSVolumeSource': {
    fields: {
      volumeName: { of: 'text', number: 1 },
      volumeNamespace: { of: 'text', number: 2 },
      fsType: { of: 'text', number: 3 },
      readOnly: { of: 'boolean', number: 4 },
      secretRef: { of: 'io.k8s.api.core.v1.LocalObjectReference', presence: 'optional', number: 5 },
    },
  },
  'io.k8s.api.core.v1.Sysctl': {
    required: ['name', 'value'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      value: { of: 'text', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.TCPSocketAction': {
    required: ['port'],
    fields: {
      port: { of: 'intOrString', presence: 'always', number: 1 },
      host: { of: 'text', number: 2 },
    },
  },
  'io.k8s.api.core.v1.Taint': {
    required: ['key', 'effect'],
    fields: {
      key: { of: 'text', presence: 'always', number: 1 },
      value: { of: 'text', number: 2 },
      effect: { of: 'text', presence: 'always', number: 3 },
      timeAdded: { of: 'time', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.Toleration': {
    fields: {
      key: { of: 'text', number: 1 },
      operator: { of: 'text', number: 2 },
      value: { of: 'text', number: 3 },
      effect: { of: 'text', number: 4 },
      tolerationSeconds: { of: 'int64', presence: 'optional', number: 5 },
    },
  },
  'io.k8s.api.core.v1.TopologySpreadConstraint': {
    required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
    fields: {
      maxSkew: { of: 'int32', presence: 'always', number: 1 },
      topologyKey: { of: 'text', presence: 'always', number: 2 },
      whenUnsatisfiable: { of: 'text', presence: 'always', number: 3 },
      labelSelector: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', presence: 'optional', number: 4 },
      minDomains: { of: 'int32', presence: 'optional', number: 5 },
      nodeAffinityPolicy: { of: 'text', presence: 'optional', number: 6 },
      nodeTaintsPolicy: { of: 'text', presence: 'optional', number: 7 },
      matchLabelKeys: { of: { list: 'text' }, number: 8 },
    },
  },
  'io.k8s.api.core.v1.TypedLocalObjectReference': {
    atomic: true,
    required: ['kind', 'name'],
    fields: {
      apiGroup: { of: 'text', presence: 'nullable', number: 1 },
      kind: { of: 'text', presence: 'always', number: 2 },
      name: { of: 'text', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.core.v1.TypedObjectReference': {
    required: ['kind', 'name'],
    fields: {
      apiGroup: { of: 'text', presence: 'nullable', number: 1 },
      kind: { of: 'text', presence: 'always', number: 2 },
      name: { of: 'text', presence: 'always', number: 3 },
      namespace: { of: 'text', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.core.v1.Volume': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      hostPath: { of: 'io.k8s.api.core.v1.HostPathVolumeSource', presence: 'optional', number: [2, 1] },
      emptyDir: { of: 'io.k8s.api.core.v1.EmptyDirVolumeSource', presence: 'optional', number: [2, 2] },
      gcePersistentDisk: {
        of: 'io.k8s.api.core.v1.GCEPersistentDiskVolumeSource',
        presence: 'optional',
        number: [2, 3],
      },
      awsElasticBlockStore: {
        of: 'io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource',
        presence: 'optional',
        number: [2, 4],
      },
      gitRepo: { of: 'io.k8s.api.core.v1.GitRepoVolumeSource', presence: 'optional', number: [2, 5] },
      secret: { of: 'io.k8s.api.core.v1.SecretVolumeSource', presence: 'optional', number: [2, 6] },
      nfs: { of: 'io.k8s.api.core.v1.NFSVolumeSource', presence: 'optional', number: [2, 7] },
      iscsi: { of: 'io.k8s.api.core.v1.ISCSIVolumeSource', presence: 'optional', number: [2, 8] },
      glusterfs: { of: 'io.k8s.api.core.v1.GlusterfsVolumeSource', presence: 'optional', number: [2, 9] },
      persistentVolumeClaim: {
        of: 'io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource',
        presence: 'optional',
        number: [2, 10],
      },
      rbd: { of: 'io.k8s.api.core.v1.RBDVolumeSource', presence: 'optional', number: [2, 11] },
      flexVolume: { of: 'io.k8s.api.core.v1.FlexVolumeSource', presence: 'optional', number: [2, 12] },
      cinder: { of: 'io.k8s.api.core.v1.CinderVolumeSource', presence: 'optional', number: [2, 13] },
      cephfs: { of: 'io.k8s.api.core.v1.CephFSVolumeSource', presence: 'optional', number: [2, 14] },
      flocker: { of: 'io.k8s.api.core.v1.FlockerVolumeSource', presence: 'optional', number: [2, 15] },
      downwardAPI: { of: 'io.k8s.api.core.v1.DownwardAPIVolumeSource', presence: 'optional', number: [2, 16] },
      fc: { of: 'io.k8s.api.core.v1.FCVolumeSource', presence: 'optional', number: [2, 17] },
      azureFile: { of: 'io.k8s.api.core.v1.AzureFileVolumeSource', presence: 'optional', number: [2, 18] },
      configMap: { of: 'io.k8s.api.core.v1.ConfigMapVolumeSource', presence: 'optional', number: [2, 19] },
      vsphereVolume: { of: 'io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource', presence: 'optional', number: [2, 20] },
      quobyte: { of: 'io.k8s.api.core.v1.QuobyteVolumeSource', presence: 'optional', number: [2, 21] },
      azureDisk: { of: 'io.k8s.api.core.v1.AzureDiskVolumeSource', presence: 'optional', number: [2, 22] },
      photonPersistentDisk: {
        of: 'io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource',
        presence: 'optional',
        number: [2, 23],
      },
      projected: { of: 'io.k8s.api.core.v1.ProjectedVolumeSource', presence: 'optional', number: [2, 26] },
      portworxVolume: { of: 'io.k8s.api.core.v1.PortworxVolumeSource', presence: 'optional', number: [2, 24] },
      scaleIO: { of: 'io.k8s.api.core.v1.ScaleIOVolumeSource', presence: 'optional', number: [2, 25] },
      storageos: { of: 'io.k8s.api.core.v1.StorageOSVolumeSource', presence: 'optional', number: [2, 27] },
      csi: { of: 'io.k8s.api.core.v1.CSIVolumeSource', presence: 'optional', number: [2, 28] },
      ephemeral: { of: 'io.k8s.api.core.v1.EphemeralVolumeSource', presence: 'optional', number: [2, 29] },
      image: { of: 'io.k8s.api.core.v1.ImageVolumeSource', presence: 'optional', number: [2, 30] },
    },
  },
  'io.k8s.api.core.v1.VolumeDevice': {
    required: ['name', 'devicePath'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      devicePath: { of: 'text', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.VolumeMount': {
    required: ['name', 'mountPath'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      readOnly: { of: 'boolean', number: 2 },
      recursiveReadOnly: { of: 'text', presence: 'optional', number: 7 },
      mountPath: { of: 'text', presence: 'always', number: 3 },
      subPath: { of: 'text', number: 4 },
      mountPropagation: { of: 'text', presence: 'optional', number: 5 },
      subPathExpr: { of: 'text', number: 6 },
    },
  },
  'io.k8s.api.core.v1.VolumeMountStatus': {
    required: ['name', 'mountPath'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      mountPath: { of: 'text', presence: 'always', number: 2 },
      readOnly: { of: 'boolean', number: 3 },
      recursiveReadOnly: { of: 'text', presence: 'optional', number: 4 },
      volumeStatus: { of: 'io.k8s.api.core.v1.VolumeStatus', presence: 'optional', number: 5 },
    },
  },
  'io.k8s.api.core.v1.VolumeProjection': {
    fields: {
      secret: { of: 'io.k8s.api.core.v1.SecretProjection', presence: 'optional', number: 1 },
      downwardAPI: { of: 'io.k8s.api.core.v1.DownwardAPIProjection', presence: 'optional', number: 2 },
      configMap: { of: 'io.k8s.api.core.v1.ConfigMapProjection', presence: 'optional', number: 3 },
      serviceAccountToken: { of: 'io.k8s.api.core.v1.ServiceAccountTokenProjection', presence: 'optional', number: 4 },
      clusterTrustBundle: { of: 'io.k8s.api.core.v1.ClusterTrustBundleProjection', presence: 'optional', number: 5 },
      podCertificate: { of: 'io.k8s.api.core.v1.PodCertificateProjection', presence: 'optional', number: 6 },
    },
  },
  'io.k8s.api.core.v1.VolumeResourceRequirements': {
    fields: {
      limits: { of: { map: 'quantity' }, number: 1 },
      requests: { of: { map: 'quantity' }, number: 2 },
    },
  },
  'io.k8s.api.core.v1.VolumeStatus': {
    fields: {
      image: { of: 'io.k8s.api.core.v1.ImageVolumeStatus', presence: 'optional', number: 1 },
    },
  },
  'io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource': {
    required: ['volumePath'],
    fields: {
      volumePath: { of: 'text', presence: 'always', number: 1 },
      fsType: { of: 'text', number: 2 },
      storagePolicyName: { of: 'text', number: 3 },
      storagePolicyID: { of: 'text', number: 4 },
    },
  },
  'io.k8s.api.core.v1.WeightedPodAffinityTerm': {
    required: ['weight', 'podAffinityTerm'],
    fields: {
      weight: { of: 'int32', presence: 'always', number: 1 },
      podAffinityTerm: { of: 'io.k8s.api.core.v1.PodAffinityTerm', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.core.v1.WindowsSecurityContextOptions': {
    fields: {
      gmsaCredentialSpecName: { of: 'text', presence: 'optional', number: 1 },
      gmsaCredentialSpec: { of: 'text', presence: 'optional', number: 2 },
      runAsUserName: { of: 'text', presence: 'optional', number: 3 },
      hostProcess: { of: 'boolean', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.discovery.v1.Endpoint': {
    required: ['addresses'],
    fields: {
      addresses: { of: { list: 'text', identity: 'set' }, presence: 'always', number: 1 },
      conditions: { of: 'io.k8s.api.discovery.v1.EndpointConditions', presence: 'always', number: 2 },
      hostname: { of: 'text', presence: 'optional', number: 3 },
      targetRef: { of: 'io.k8s.api.core.v1.ObjectReference', presence: 'optional', number: 4 },
      deprecatedTopology: { of: { map: 'text' }, number: 5 },
      nodeName: { of: 'text', presence: 'optional', number: 6 },
      zone: { of: 'text', presence: 'optional', number: 7 },
      hints: { of: 'io.k8s.api.discovery.v1.EndpointHints', presence: 'optional', number: 8 },
    },
  },
  'io.k8s.api.discovery.v1.EndpointConditions': {
    fields: {
      ready: { of: 'boolean', presence: 'optional', number: 1 },
      serving: { of: 'boolean', presence: 'optional', number: 2 },
      terminating: { of: 'boolean', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.discovery.v1.EndpointHints': {
    fields: {
      forZones: { of: { list: 'io.k8s.api.discovery.v1.ForZone' }, number: 1 },
      forNodes: { of: { list: 'io.k8s.api.discovery.v1.ForNode' }, number: 2 },
    },
  },
  'io.k8s.api.discovery.v1.EndpointPort': {
    atomic: true,
    fields: {
      name: { of: 'text', presence: 'optional', number: 1 },
      protocol: { of: 'text', presence: 'optional', number: 2 },
      port: { of: 'int32', presence: 'optional', number: 3 },
      appProtocol: { of: 'text', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.api.discovery.v1.EndpointSlice': {
    required: ['addressType'],
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      addressType: { of: 'text', presence: 'always', number: 4 },
      endpoints: { of: { list: 'io.k8s.api.discovery.v1.Endpoint' }, presence: 'always', number: 2 },
      ports: { of: { list: 'io.k8s.api.discovery.v1.EndpointPort' }, presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.discovery.v1.ForNode': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.discovery.v1.ForZone': {
    required: ['name'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
    },
  },
  'io.k8s.api.events.v1.Event': {
    required: ['eventTime'],
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      eventTime: { of: 'microTime', presence: 'always', number: 2 },
      series: { of: 'io.k8s.api.events.v1.EventSeries', presence: 'optional', number: 3 },
      reportingController: { of: 'text', number: 4 },
      reportingInstance: { of: 'text', number: 5 },
      action: { of: 'text', number: 6 },
      reason: { of: 'text', number: 7 },
      regarding: { of: 'io.k8s.api.core.v1.ObjectReference', presence: 'always', number: 8 },
      related: { of: 'io.k8s.api.core.v1.ObjectReference', presence: 'optional', number: 9 },
      note: { of: 'text', number: 10 },
      type: { of: 'text', number: 11 },
      deprecatedSource: { of: 'io.k8s.api.core.v1.EventSource', presence: 'always', number: 12 },
      deprecatedFirstTimestamp: { of: 'time', presence: 'always', number: 13 },
      deprecatedLastTimestamp: { of: 'time', presence: 'always', number: 14 },
      deprecatedCount: { of: 'int32', number: 15 },
    },
  },
  'io.k8s.api.events.v1.EventSeries': {
    required: ['count', 'lastObservedTime'],
    fields: {
      count: { of: 'int32', presence: 'always', number: 1 },
      lastObservedTime: { of: 'microTime', presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.rbac.v1.AggregationRule': {
    fields: {
      clusterRoleSelectors: { of: { list: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector' }, number: 1 },
    },
  },
  'io.k8s.api.rbac.v1.ClusterRole': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      rules: { of: { list: 'io.k8s.api.rbac.v1.PolicyRule' }, presence: 'always', number: 2 },
      aggregationRule: { of: 'io.k8s.api.rbac.v1.AggregationRule', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.api.rbac.v1.ClusterRoleBinding': {
    required: ['roleRef'],
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      subjects: { of: { list: 'io.k8s.api.rbac.v1.Subject' }, number: 2 },
      roleRef: { of: 'io.k8s.api.rbac.v1.RoleRef', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.rbac.v1.PolicyRule': {
    required: ['verbs'],
    fields: {
      verbs: { of: { list: 'text' }, presence: 'always', number: 1 },
      apiGroups: { of: { list: 'text' }, number: 2 },
      resources: { of: { list: 'text' }, number: 3 },
      resourceNames: { of: { list: 'text' }, number: 4 },
      nonResourceURLs: { of: { list: 'text' }, number: 5 },
    },
  },
  'io.k8s.api.rbac.v1.Role': {
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      rules: { of: { list: 'io.k8s.api.rbac.v1.PolicyRule' }, presence: 'always', number: 2 },
    },
  },
  'io.k8s.api.rbac.v1.RoleBinding': {
    required: ['roleRef'],
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      subjects: { of: { list: 'io.k8s.api.rbac.v1.Subject' }, number: 2 },
      roleRef: { of: 'io.k8s.api.rbac.v1.RoleRef', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.rbac.v1.RoleRef': {
    atomic: true,
    required: ['kind', 'name'],
    fields: {
      apiGroup: { of: 'text', presence: 'always', number: 1 },
      kind: { of: 'text', presence: 'always', number: 2 },
      name: { of: 'text', presence: 'always', number: 3 },
    },
  },
  'io.k8s.api.rbac.v1.Subject': {
    atomic: true,
    required: ['kind', 'name'],
    fields: {
      kind: { of: 'text', presence: 'always', number: 1 },
      apiGroup: { of: 'text', number: 2 },
      name: { of: 'text', presence: 'always', number: 3 },
      namespace: { of: 'text', number: 4 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition': {
    required: ['name', 'type', 'jsonPath'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      type: { of: 'text', presence: 'always', number: 2 },
      format: { of: 'text', number: 3 },
      description: { of: 'text', number: 4 },
      priority: { of: 'int32', number: 5 },
      jsonPath: { of: 'text', presence: 'always', number: 6 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion': {
    required: ['strategy'],
    fields: {
      strategy: { of: 'text', presence: 'always', number: 1 },
      webhook: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion',
        presence: 'optional',
        number: 2,
      },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition': {
    required: ['spec'],
    fields: {
      metadata: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', presence: 'always', number: 1 },
      spec: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec',
        presence: 'always',
        number: 2,
      },
      status: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus',
        presence: 'always',
        number: 3,
      },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition': {
    required: ['type', 'status'],
    fields: {
      type: { of: 'text', presence: 'always', number: 1 },
      status: { of: 'text', presence: 'always', number: 2 },
      lastTransitionTime: { of: 'time', presence: 'always', number: 3 },
      reason: { of: 'text', number: 4 },
      message: { of: 'text', number: 5 },
      observedGeneration: { of: 'int64', number: 6 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames': {
    required: ['plural', 'kind'],
    fields: {
      plural: { of: 'text', presence: 'always', number: 1 },
      singular: { of: 'text', number: 2 },
      shortNames: { of: { list: 'text' }, number: 3 },
      kind: { of: 'text', presence: 'always', number: 4 },
      listKind: { of: 'text', number: 5 },
      categories: { of: { list: 'text' }, number: 6 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec': {
    required: ['group', 'names', 'scope', 'versions'],
    fields: {
      group: { of: 'text', presence: 'always', number: 1 },
      names: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames',
        presence: 'always',
        number: 3,
      },
      scope: { of: 'text', presence: 'always', number: 4 },
      versions: {
        of: { list: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion' },
        presence: 'always',
        number: 7,
      },
      conversion: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion',
        presence: 'optional',
        number: 9,
      },
      preserveUnknownFields: { of: 'boolean', number: 10 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus': {
    fields: {
      conditions: {
        of: {
          list: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition',
          identity: ['type'],
        },
        presence: 'always',
        number: 1,
      },
      acceptedNames: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames',
        presence: 'always',
        number: 2,
      },
      storedVersions: { of: { list: 'text' }, presence: 'always', number: 3 },
      observedGeneration: { of: 'int64', number: 4 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion': {
    required: ['name', 'served', 'storage'],
    fields: {
      name: { of: 'text', presence: 'always', number: 1 },
      served: { of: 'boolean', presence: 'always', number: 2 },
      storage: { of: 'boolean', presence: 'always', number: 3 },
      deprecated: { of: 'boolean', number: 7 },
      deprecationWarning: { of: 'text', presence: 'optional', number: 8 },
      schema: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation',
        presence: 'optional',
        number: 4,
      },
      subresources: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources',
        presence: 'optional',
        number: 5,
      },
      additionalPrinterColumns: {
        of: { list: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition' },
        number: 6,
      },
      selectableFields: {
        of: { list: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField' },
        number: 9,
      },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale': {
    required: ['specReplicasPath', 'statusReplicasPath'],
    fields: {
      specReplicasPath: { of: 'text', presence: 'always', number: 1 },
      statusReplicasPath: { of: 'text', presence: 'always', number: 2 },
      labelSelectorPath: { of: 'text', presence: 'optional', number: 3 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus': {
    fields: {},
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources': {
    fields: {
      status: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus',
        presence: 'optional',
        number: 1,
      },
      scale: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale',
        presence: 'optional',
        number: 2,
      },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation': {
    fields: {
      openAPIV3Schema: { of: 'untypedGranular', presence: 'optional', number: 1 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField': {
    required: ['jsonPath'],
    fields: {
      jsonPath: { of: 'text', presence: 'always', number: 1 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference': {
    required: ['namespace', 'name'],
    fields: {
      namespace: { of: 'text', presence: 'always', number: 1 },
      name: { of: 'text', presence: 'always', number: 2 },
      path: { of: 'text', presence: 'optional', number: 3 },
      port: { of: 'int32', presence: 'optional', number: 4 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig': {
    fields: {
      url: { of: 'text', presence: 'optional', number: 3 },
      service: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference',
        presence: 'optional',
        number: 1,
      },
      caBundle: { of: 'bytes', number: 2 },
    },
  },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion': {
    required: ['conversionReviewVersions'],
    fields: {
      clientConfig: {
        of: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig',
        presence: 'optional',
        number: 2,
      },
      conversionReviewVersions: { of: { list: 'text' }, presence: 'always', number: 3 },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition': {
    required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
    fields: {
      type: { of: 'text', presence: 'always', number: 1 },
      status: { of: 'text', presence: 'always', number: 2 },
      observedGeneration: { of: 'int64', number: 3 },
      lastTransitionTime: { of: 'time', presence: 'always', number: 4 },
      reason: { of: 'text', presence: 'always', number: 5 },
      message: { of: 'text', presence: 'always', number: 6 },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions': {
    fields: {
      gracePeriodSeconds: { of: 'int64', presence: 'optional', number: 1 },
      preconditions: { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions', presence: 'optional', number: 2 },
      orphanDependents: { of: 'boolean', presence: 'optional', number: 3 },
      propagationPolicy: { of: 'text', presence: 'optional', number: 4 },
      dryRun: { of: { list: 'text' }, number: 5 },
      ignoreStoreReadErrorWithClusterBreakingPotential: { of: 'boolean', presence: 'optional', number: 6 },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement': {
    required: ['key', 'operator'],
    fields: {
      key: { of: 'text', presence: 'always', number: 1 },
      operator: { of: 'text', presence: 'always', number: 2 },
      values: { of: { list: 'text' }, number: 3 },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector': {
    atomic: true,
    fields: {
      matchLabels: { of: { map: 'text' }, number: 1 },
      matchExpressions: { of: { list: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement' }, number: 2 },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement': {
    required: ['key', 'operator'],
    fields: {
      key: { of: 'text', presence: 'always', number: 1 },
      operator: { of: 'text', presence: 'always', number: 2 },
      values: { of: { list: 'text' }, number: 3 },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry': {
    fields: {
      manager: { of: 'text', number: 1 },
      operation: { of: 'text', number: 2 },
      apiVersion: { of: 'text', number: 3 },
      time: { of: 'time', presence: 'optional', number: 4 },
      fieldsType: { of: 'text', number: 6 },
      fieldsV1: { of: 'untyped', presence: 'optional', number: 7 },
      subresource: { of: 'text', number: 8 },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': {
    fields: {
      name: { of: 'text', number: 1 },
      generateName: { of: 'text', number: 2 },
      namespace: { of: 'text', number: 3 },
      selfLink: { of: 'text', number: 4 },
      uid: { of: 'text', number: 5 },
      resourceVersion: { of: 'text', number: 6 },
      generation: { of: 'int64', number: 7 },
      creationTimestamp: { of: 'time', number: 8 },
      deletionTimestamp: { of: 'time', presence: 'optional', number: 9 },
      deletionGracePeriodSeconds: { of: 'int64', presence: 'optional', number: 10 },
      labels: { of: { map: 'text' }, number: 11 },
      annotations: { of: { map: 'text' }, number: 12 },
      ownerReferences: {
        of: { list: 'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference', identity: ['uid'], patchMerge: 'uid' },
        number: 13,
      },
      finalizers: { of: { list: 'text', identity: 'set', patchMerge: true }, number: 14 },
      managedFields: { of: { list: 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry' }, number: 17 },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference': {
    atomic: true,
    required: ['apiVersion', 'kind', 'name', 'uid'],
    fields: {
      apiVersion: { of: 'text', presence: 'always', number: 5 },
      kind: { of: 'text', presence: 'always', number: 1 },
      name: { of: 'text', presence: 'always', number: 3 },
      uid: { of: 'text', presence: 'always', number: 4 },
      controller: { of: 'boolean', presence: 'optional', number: 6 },
      blockOwnerDeletion: { of: 'boolean', presence: 'optional', number: 7 },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions': {
    fields: {
      uid: { of: 'text', presence: 'optional', number: 1 },
      resourceVersion: { of: 'text', presence: 'optional', number: 2 },
    },
  },
} satisfies Readonly<Record<string, GeneratedType>>;
