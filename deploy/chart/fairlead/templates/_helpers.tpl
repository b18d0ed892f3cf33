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
{{- end }}

{{- define "fairlead.serviceAccountName" -}}
{{- if .Values.serviceAccount.name }}
{{- .Values.serviceAccount.name }}
{{- else }}
{{- .Values.serviceAccount.create | ternary (include "fairlead.fullname" .) "default" }}
{{- end }}
{{- end }}

{{- define "fairlead.image" -}}
{{- with .Values.image }}
{{- .digest | empty | ternary (printf "%s:%s" .repository (default $.Chart.AppVersion .tag)) (printf "%s@%s" .repository .digest) }}
{{- end }}
{{- end }}

{{/* fairlead.yaml: what the values say, and what only the chart knows. An empty host listens on both families. */}}
{{- define "fairlead.configuration" -}}
{{- if not .Values.configuration.parts }}
{{- fail (printf "configuration.parts is empty: switch on at least one part (%s); docs/deploy.md shows how" (include "fairlead.partNames" .)) }}
{{- end }}
{{- $known := dict "http" (dict "listen" (printf ":%v" .Values.http.port)) "leaderElection" (dict "namespace" .Release.Namespace) }}
{{- mergeOverwrite (deepCopy .Values.configuration) $known | toYaml }}
{{- end }}
