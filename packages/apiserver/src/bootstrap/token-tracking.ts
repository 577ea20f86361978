import type { ConfigMap } from "@pilothouse/api/core/v1"

/** The day since when the use of token Secrets is tracked: the controller manager deletes those that were not used since. */
export function tokenTracking(today: string): ConfigMap {
  const metadata = { name: "kube-apiserver-legacy-service-account-token-tracking", namespace: "kube-system" }
  return { kind: "ConfigMap", apiVersion: "v1", metadata, data: { since: today } }
}
