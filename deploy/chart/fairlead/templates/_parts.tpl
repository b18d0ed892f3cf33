{{/* Made by `npm run generate` from what the parts declare: edit those instead. */}}

{{- define "fairlead.partNames" -}}
gateway
{{- end }}

{{- define "fairlead.classes" -}}
{{- if hasKey .Values.configuration.parts "gateway" }}
fairlead.dev/gateway: Gives Services the addresses of gateway nodes, by protocol and port.
{{- end }}
{{- end }}

{{- define "fairlead.clusterRules" -}}
# every part: Events tell the owner of an object what happened to it.
- apiGroups: ['events.k8s.io']
  resources: [events]
  verbs: [create, patch]
{{- if hasKey .Values.configuration.parts "gateway" }}
# gateway: It reads Services, and records the address and its finalizer on those of its class.
- apiGroups: ['']
  resources: [services]
  verbs: [get, list, watch, patch]
# gateway: It publishes the address in the status of the Service.
- apiGroups: ['']
  resources: [services/status]
  verbs: [patch]
{{- end }}
{{- end }}

{{- define "fairlead.ownNamespaceRules" -}}
# every part: Each part has a Lease, so that only one replica works at a time.
- apiGroups: ['coordination.k8s.io']
  resources: [leases]
  verbs: [get, create, patch]
{{- end }}
