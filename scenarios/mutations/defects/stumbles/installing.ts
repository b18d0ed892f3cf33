import type { Defect } from '../../defect.ts';

const CHART = { e2e: 'e2e/chart-rendering.test.ts' };
const DEPLOYMENT = 'deploy/chart/fairlead/templates/deployment.yaml';
const HELPERS = 'deploy/chart/fairlead/templates/_helpers.tpl';

/** Of the chart: what it lacked, and what it let through. */
export const installingDefects: readonly Defect[] = [
  {
    name: 'the chart opens the journal to the whole cluster',
    file: HELPERS,
    find: '(dict "listen" (printf ":%v" .Values.http.port))',
    replace: '(dict "listen" (printf ":%v" .Values.http.port) "journal" "open")',
    foundBy: CHART,
  },
  {
    name: 'the chart puts a secret of a cloud into a ConfigMap',
    file: HELPERS,
    find: '{{- fail (printf "configuration.parts.%s.cloud.%s would be read',
    replace: '{{- $_ := (printf "configuration.parts.%s.cloud.%s would be read',
    foundBy: CHART,
  },
  {
    name: 'the values of the chart offer a place for a secret of a cloud',
    file: 'deploy/generator/chart.ts',
    find: "for (const secret of ['aadClientSecret', 'aadClientCertPassword']) delete jsonSchema.properties?.[secret];",
    replace: '',
    foundBy: { unit: 'deploy/generator/generated-files.test.ts' },
  },
  {
    name: 'the chart has an image that cannot be pulled',
    file: HELPERS,
    find: '{{- fail "image.repository is not set:',
    replace: '{{- $_ := "image.repository is not set:',
    foundBy: CHART,
  },
  {
    name: 'the chart fixes the security context of its Pods',
    file: DEPLOYMENT,
    find: '{{- toYaml .Values.podSecurityContext | nindent 8 }}',
    replace: '{runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}',
    foundBy: CHART,
  },
  {
    name: 'the chart fixes the security context of its containers',
    file: DEPLOYMENT,
    find: '{{- toYaml .Values.securityContext | nindent 12 }}',
    replace: '{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}',
    foundBy: CHART,
  },
  {
    name: 'the chart takes no extra volumes',
    file: DEPLOYMENT,
    find: '{{- toYaml . | nindent 8 }}\n        {{- end }}\n      topologySpreadConstraints:',
    replace: '{{- end }}\n      topologySpreadConstraints:',
    foundBy: CHART,
  },
  {
    name: 'the chart mounts no extra volumes',
    file: DEPLOYMENT,
    find: '{{- with .Values.extraVolumeMounts }}\n            {{- toYaml . | nindent 12 }}',
    replace: '{{- with .Values.extraVolumeMounts }}',
    foundBy: CHART,
  },
  {
    name: 'the chart takes no extra arguments',
    file: DEPLOYMENT,
    find: '{{ range .Values.extraArguments }}, {{ . | quote }}{{ end }}',
    replace: '',
    foundBy: CHART,
  },
  {
    name: 'the chart takes no environment',
    file: DEPLOYMENT,
    find: '{{- with .Values.environment }}\n          env:\n            {{- toYaml . | nindent 12 }}',
    replace: '{{- with .Values.environment }}',
    foundBy: CHART,
  },
  {
    name: 'the chart takes no environment from a Secret that is there',
    file: DEPLOYMENT,
    find: '{{- with .Values.environmentFrom }}\n          envFrom:\n            {{- toYaml . | nindent 12 }}',
    replace: '{{- with .Values.environmentFrom }}',
    foundBy: CHART,
  },
  {
    name: 'the chart takes no files from a Secret that is there',
    file: DEPLOYMENT,
    find: '              mountPath: {{ $file.path }}',
    replace: '              mountPath: /etc/secret',
    foundBy: CHART,
  },
  {
    name: 'the chart has no common labels',
    file: HELPERS,
    find: '{{- with .Values.commonLabels }}\n{{ toYaml . }}',
    replace: '{{- with .Values.commonLabels }}',
    foundBy: CHART,
  },
  {
    name: 'the chart takes no configuration from a Secret that is there',
    file: DEPLOYMENT,
    find: '{{- if .Values.existingConfiguration.secret }}',
    replace: '{{- if .Values.existingConfiguration.configMap }}',
    foundBy: CHART,
  },
  {
    name: 'the chart takes no configuration from a ConfigMap that is there',
    file: DEPLOYMENT,
    find: 'name: {{ default (include "fairlead.fullname" .) .Values.existingConfiguration.configMap }}',
    replace: 'name: {{ include "fairlead.fullname" . }}',
    foundBy: CHART,
  },
  {
    name: 'the chart fixes the strategy of its Deployment',
    file: DEPLOYMENT,
    find: '  strategy:\n    {{- toYaml . | nindent 4 }}',
    replace: '  strategy: {type: RollingUpdate}',
    foundBy: CHART,
  },
  {
    name: 'the chart has no relabelings',
    file: 'deploy/chart/fairlead/templates/servicemonitor.yaml',
    find: '      relabelings:\n        {{- toYaml . | nindent 8 }}',
    replace: '      relabelings: []',
    foundBy: CHART,
  },
  {
    name: 'the chart has no alert rules',
    file: 'deploy/chart/fairlead/templates/prometheusrule.yaml',
    find: '{{- if .Values.prometheusRule.enabled }}',
    replace: '{{- if not .Values.prometheusRule }}',
    foundBy: CHART,
  },
  {
    name: 'the chart has alert rules where nobody asked for them',
    file: 'deploy/chart/fairlead/templates/prometheusrule.yaml',
    find: '{{- if .Values.prometheusRule.enabled }}',
    replace: '{{- if .Values.prometheusRule }}',
    foundBy: CHART,
  },
];
