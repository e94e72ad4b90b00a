{{- define "postern.selector" -}}
app.kubernetes.io/name: postern
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "postern.labels" -}}
{{ include "postern.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
