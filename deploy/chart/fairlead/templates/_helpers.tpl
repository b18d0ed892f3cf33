{{- define "fairlead.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of everything in the release, cut where a label must end. */}}
{{- define "fairlead.fullname" -}}
{{- $name := include "fairlead.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* ClusterRoles are of the whole cluster, where another namespace may hold a release of the same name. */}}
{{- define "fairlead.clusterName" -}}
{{- $name := include "fairlead.fullname" . }}
{{- eq $name .Release.Namespace | ternary $name (printf "%s-%s" .Release.Namespace $name) }}
{{- end }}

{{- define "fairlead.selectorLabels" -}}
app.kubernetes.io/name: {{ include "fairlead.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "fairlead.labels" -}}
{{ include "fairlead.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "fairlead.serviceAccountName" -}}
{{- if .Values.serviceAccount.name }}
{{- .Values.serviceAccount.name }}
{{- else }}
{{- .Values.serviceAccount.create | ternary (include "fairlead.fullname" .) "default" }}
{{- end }}
{{- end }}

{{- define "fairlead.image" -}}
{{- if not .Values.image.repository }}
{{- fail "image.repository is not set: build the image of deploy/Containerfile, push it where your nodes can pull it, and name that place" }}
{{- end }}
{{- with .Values.image }}
{{- .digest | empty | ternary (printf "%s:%s" .repository (default $.Chart.AppVersion .tag)) (printf "%s@%s" .repository .digest) }}
{{- end }}
{{- end }}

{{/* Whether the configuration is an object that the chart does not make. */}}
{{- define "fairlead.hasOwnConfiguration" -}}
{{- with .Values.existingConfiguration }}
{{- if and .secret .configMap }}
{{- fail "existingConfiguration names both a Secret and a ConfigMap: choose one" }}
{{- end }}
{{- or .secret .configMap | empty | ternary "" "true" }}
{{- end }}
{{- end }}

{{/* The parts that are switched on, as a list in JSON: they get their roles and definitions. */}}
{{- define "fairlead.activeParts" -}}
{{- if include "fairlead.hasOwnConfiguration" . }}
{{- .Values.existingConfiguration.parts | toJson }}
{{- else }}
{{- keys .Values.configuration.parts | sortAlpha | toJson }}
{{- end }}
{{- end }}

{{/* fairlead.yaml: what the values say, and what only the chart knows. An empty host listens on both families. */}}
{{- define "fairlead.configuration" -}}
{{- if not .Values.configuration.parts }}
{{- fail (printf "configuration.parts is empty: switch on at least one part (%s); docs/deploy.md shows how" (include "fairlead.partNames" .)) }}
{{- end }}
{{- range $name, $part := .Values.configuration.parts }}
{{- $cloud := dig "cloud" dict (default dict $part) }}
{{- /* That of OpenStack is a name. */}}
{{- range $key, $value := (kindIs "map" $cloud | ternary $cloud dict) }}
{{- with get (dict "aadclientsecret" "AZURE_CLIENT_SECRET" "aadclientcertpassword" "AZURE_CLIENT_CERTIFICATE_PASSWORD") (lower $key) }}
{{- if $value }}
{{- fail (printf "configuration.parts.%s.cloud.%s would be read by all who may read ConfigMaps: give it as %s, by environment and secretKeyRef" $name $key .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- $known := dict "http" (dict "listen" (printf ":%v" .Values.http.port)) "leaderElection" (dict "namespace" .Release.Namespace) }}
{{- $configuration := mergeOverwrite (deepCopy .Values.configuration) $known }}
{{- if hasKey $configuration.parts "dns" }}
{{- $_ := set $configuration.parts "dns" (merge (default dict $configuration.parts.dns) (dict "listen" (list (printf "0.0.0.0:%v" .Values.dns.port)))) }}
{{- end }}
{{- $configuration | toYaml }}
{{- end }}
