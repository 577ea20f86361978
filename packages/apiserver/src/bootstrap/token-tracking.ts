import type { ConfigMap } from "@pilothouse/api/core/v1"

/** Since which day the use of token Secrets is noted: the controller manager clears away those that nobody used since. */
export function tokenTracking(today: string): ConfigMap {
  const metadata = { name: "kube-apiserver-legacy-service-account-token-tracking", namespace: "kube-system" }
  return { kind: "ConfigMap", apiVersion: "v1", metadata, data: { since: today } }
}
