{{/* Made by `npm run generate` from deploy/generator/alert-rules.ts: edit that instead. */}}

{{- define "fairlead.alertRules" -}}
- alert: FairleadNobodyLeads
  expr: max by (namespace, part) (fairlead_leading) == 0
  for: 2m
  labels:
    severity: critical
  annotations:
    summary: No replica leads the part {{ "{{" }} $labels.part {{ "}}" }}
    description: What is served stays as it is, and no change is made. fairlead check tells what is missing.
- alert: FairleadAway
  expr: absent(fairlead_build_info)
  for: 5m
  labels:
    severity: critical
  annotations:
    summary: No replica of Fairlead is seen
    description: Look at the Deployment and its Pods, and at whether Prometheus may read the metrics.
- alert: FairleadNotConverged
  expr: sum by (namespace, queue) (increase(fairlead_queue_failures_total[10m])) > 0 or sum by (namespace, queue) (fairlead_queue_keys) > 0
  for: 10m
  labels:
    severity: warning
  annotations:
    summary: Work of the queue {{ "{{" }} $labels.queue {{ "}}" }} has failed or waited for 10 minutes
    description: The log at warn names the objects and the errors; fairlead why tells what one of them waits for.
- alert: FairleadThrottled
  expr: sum by (namespace, gate) (increase(fairlead_throttle_gate_closures_total[10m])) > 3
  for: 10m
  labels:
    severity: warning
  annotations:
    summary: A cloud asks Fairlead to slow down ({{ "{{" }} $labels.gate {{ "}}" }})
    description: Changes take longer. Ask the cloud for a higher limit, or find out what else uses it up.
- alert: FairleadBrakeHolds
  expr: '{__name__=~"fairlead_gateway_withdrawals_held|fairlead_gateway_addresses_held|fairlead_azure_service_gateway_held_deletions|fairlead_azure_local_held_deletions|fairlead_clusterset_withdrawals_held|fairlead_octavia_leftovers_held"} > 0'
  for: 1m
  labels:
    severity: critical
  annotations:
    summary: A brake holds back the deletion of {{ "{{" }} $value {{ "}}" }} things ({{ "{{" }} $labels.__name__ {{ "}}" }})
    description: "Something would take many of them away at once. Look at fairlead plan: mend the cause within ten minutes, or let it go ahead with fairlead release PART."
{{- end }}
