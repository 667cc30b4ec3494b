{{- define "store.name" }}{{ .Values.exports.data.kind }}-{{ .Values.global.registry }}{{ end }}
