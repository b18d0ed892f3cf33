{{/* Made by `npm run generate` from what the parts declare: edit those instead. */}}

{{- define "fairlead.partNames" -}}
gateway, azure-service-gateway, azure-local, clusterset, dns, octavia
{{- end }}

{{- define "fairlead.classes" -}}
{{- if has "gateway" (include "fairlead.activeParts" . | fromJsonArray) }}
fairlead.dev/gateway: Gives Services the addresses of gateway nodes, by protocol and port, and has the gateways serve them.
{{- end }}
{{- if has "azure-service-gateway" (include "fairlead.activeParts" . | fromJsonArray) }}
fairlead.dev/azure-service-gateway: Gives Services load balancers, and pods egress gateways, through an Azure service gateway.
{{- end }}
{{- if has "azure-local" (include "fairlead.activeParts" . | fromJsonArray) }}
fairlead.dev/azure-local: Gives local Services a place on Azure load balancers, with pools that follow their nodes.
{{- end }}
{{- if has "octavia" (include "fairlead.activeParts" . | fromJsonArray) }}
fairlead.dev/octavia: Gives Services load balancers of OpenStack Octavia, each kept as a KuryrLoadBalancer resource.
{{- end }}
{{- end }}

{{- define "fairlead.clusterRules" -}}
# every part: Events tell the owner of an object what happened to it.
- apiGroups: ['events.k8s.io']
  resources: [events]
  verbs: [create, patch]
# every part: Who asks for the journal shows a token, and the API server tells whose it is.
- apiGroups: ['authentication.k8s.io']
  resources: [tokenreviews]
  verbs: [create]
# every part: Only who may read an object is told what was done about it.
- apiGroups: ['authorization.k8s.io']
  resources: [subjectaccessreviews]
  verbs: [create]
# every part: By the UID of kube-system, who asks can tell that it is the right cluster.
- apiGroups: ['']
  resources: [namespaces]
  verbs: [get]
{{- if has "gateway" (include "fairlead.activeParts" . | fromJsonArray) }}
# gateway: It reads Services, and puts its finalizer and what it records on those of its class.
- apiGroups: ['']
  resources: [services]
  verbs: [get, list, watch, patch]
# gateway: It publishes the address, and a condition, in the status of the Service.
- apiGroups: ['']
  resources: [services/status]
  verbs: [patch]
# gateway: The UID of kube-system marks what belongs to this cluster outside; Events about all of it are on that.
- apiGroups: ['']
  resources: [namespaces]
  verbs: [get]
# gateway: It tells the gateways which pods stand behind a Service.
- apiGroups: ['discovery.k8s.io']
  resources: [endpointslices]
  verbs: [get, list, watch]
# gateway: It tells the gateways which nodes take connections, where they are sent to node ports.
- apiGroups: ['']
  resources: [nodes]
  verbs: [get, list, watch]
{{- end }}
{{- if has "azure-service-gateway" (include "fairlead.activeParts" . | fromJsonArray) }}
# azure-service-gateway: It reads Services, and puts its finalizer and what it records on those of its class.
- apiGroups: ['']
  resources: [services]
  verbs: [get, list, watch, patch]
# azure-service-gateway: It publishes the address, and a condition, in the status of the Service.
- apiGroups: ['']
  resources: [services/status]
  verbs: [patch]
# azure-service-gateway: The UID of kube-system marks what belongs to this cluster outside; Events about all of it are on that.
- apiGroups: ['']
  resources: [namespaces]
  verbs: [get]
# azure-service-gateway: It tells Azure where the endpoints of Services are.
- apiGroups: ['discovery.k8s.io']
  resources: [endpointslices]
  verbs: [list, watch]
# azure-service-gateway: An address is known to Azure by the node that it is on.
- apiGroups: ['']
  resources: [nodes]
  verbs: [list, watch]
# azure-service-gateway: It reads pods that choose an egress gateway, or did, and holds them until their addresses have left Azure.
- apiGroups: ['']
  resources: [pods]
  verbs: [get, list, watch, patch]
{{- end }}
{{- if has "azure-local" (include "fairlead.activeParts" . | fromJsonArray) }}
# azure-local: It reads Services, and puts its finalizer and what it records on those of its class.
- apiGroups: ['']
  resources: [services]
  verbs: [get, list, watch, patch]
# azure-local: It publishes the address, and a condition, in the status of the Service.
- apiGroups: ['']
  resources: [services/status]
  verbs: [patch]
# azure-local: The UID of kube-system marks what belongs to this cluster outside; Events about all of it are on that.
- apiGroups: ['']
  resources: [namespaces]
  verbs: [get]
# azure-local: A backend pool has the nodes on which the Service has endpoints.
- apiGroups: ['discovery.k8s.io']
  resources: [endpointslices]
  verbs: [list, watch]
# azure-local: A node stands in a backend pool by its address.
- apiGroups: ['']
  resources: [nodes]
  verbs: [list, watch]
{{- end }}
{{- if has "clusterset" (include "fairlead.activeParts" . | fromJsonArray) }}
# clusterset: A ServiceExport asks for a Service to be there in all clusters.
- apiGroups: ['multicluster.x-k8s.io']
  resources: [serviceexports]
  verbs: [get, list, watch]
# clusterset: Its conditions tell whether it is exported, and what it conflicts with.
- apiGroups: ['multicluster.x-k8s.io']
  resources: [serviceexports/status]
  verbs: [update]
# clusterset: What other clusters export is there as ServiceImports.
- apiGroups: ['multicluster.x-k8s.io']
  resources: [serviceimports]
  verbs: [get, list, watch, create, update, delete]
# clusterset: The status of an import lists the clusters behind it.
- apiGroups: ['multicluster.x-k8s.io']
  resources: [serviceimports/status]
  verbs: [update]
# clusterset: Services are exported from, and imported into, namespaces that are there.
- apiGroups: ['']
  resources: [services, namespaces]
  verbs: [get, list, watch]
# clusterset: With derivedServices, an import has a Service of its own; no other Service is ever written.
- apiGroups: ['']
  resources: [services]
  verbs: [create, update, delete]
# clusterset: Those of exported Services are read, and those of other clusters are made here.
- apiGroups: ['discovery.k8s.io']
  resources: [endpointslices]
  verbs: [get, list, watch, create, update, delete]
# clusterset: Where Globalnet translates addresses, exports have the global ones.
- apiGroups: ['submariner.io']
  resources: [globalingressips]
  verbs: [get, list, watch]
# clusterset: The UID of kube-system marks what belongs to this cluster outside; Events about all of it are on that.
- apiGroups: ['']
  resources: [namespaces]
  verbs: [get]
{{- end }}
{{- if has "dns" (include "fairlead.activeParts" . | fromJsonArray) }}
# dns: The names of the zone are those of ServiceImports.
- apiGroups: ['multicluster.x-k8s.io']
  resources: [serviceimports]
  verbs: [get, list, watch]
# dns: The addresses that clusters export are in EndpointSlices.
- apiGroups: ['discovery.k8s.io']
  resources: [endpointslices]
  verbs: [get, list, watch]
{{- end }}
{{- if has "octavia" (include "fairlead.activeParts" . | fromJsonArray) }}
# octavia: It reads Services, and puts its finalizer and what it records on those of its class.
- apiGroups: ['']
  resources: [services]
  verbs: [get, list, watch, patch]
# octavia: It publishes the address, and a condition, in the status of the Service.
- apiGroups: ['']
  resources: [services/status]
  verbs: [patch]
# octavia: The UID of kube-system marks what belongs to this cluster outside; Events about all of it are on that.
- apiGroups: ['']
  resources: [namespaces]
  verbs: [get]
# octavia: What a Service asks of its load balancer, and what stands behind it, is kept in a resource of its own.
- apiGroups: ['openstack.org']
  resources: [kuryrloadbalancers]
  verbs: [get, list, watch, create, patch, delete]
# octavia: The status of the resource tells what exists in OpenStack.
- apiGroups: ['openstack.org']
  resources: [kuryrloadbalancers/status]
  verbs: [patch]
# octavia: Where load balancers send to pods, the slices tell which.
- apiGroups: ['discovery.k8s.io']
  resources: [endpointslices]
  verbs: [get, list, watch]
# octavia: Where load balancers send to node ports, the nodes are their members.
- apiGroups: ['']
  resources: [nodes]
  verbs: [get, list, watch]
{{- end }}
{{- end }}

{{- define "fairlead.ownNamespaceRules" -}}
# every part: Each part has a Lease, so that only one replica works at a time.
- apiGroups: ['coordination.k8s.io']
  resources: [leases]
  verbs: [get, create, patch]
{{- if has "clusterset" (include "fairlead.activeParts" . | fromJsonArray) }}
# clusterset: The token for the broker is renewed in the Secret that fairlead join wrote.
- apiGroups: ['']
  resources: [secrets]
  verbs: [get, update]
{{- end }}
{{- end }}

{{- define "fairlead.kubeSystemRules" -}}
{{- if has "azure-local" (include "fairlead.activeParts" . | fromJsonArray) }}
# azure-local: The Lease kube-system/aks-managed-resource-locker keeps others from changing the load balancers meanwhile.
- apiGroups: ['coordination.k8s.io']
  resources: [leases]
  verbs: [get, create, patch]
{{- end }}
{{- end }}
