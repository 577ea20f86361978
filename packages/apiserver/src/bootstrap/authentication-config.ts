import type { ConfigMap } from "@pilothouse/api/core/v1"

/** By this the controller manager, the scheduler and extension servers know whom this server would know. They wait for it at their start. */
export function authenticationConfig(clientCa: string | undefined): ConfigMap {
  const metadata = { name: "extension-apiserver-authentication", namespace: "kube-system" }
  return { kind: "ConfigMap", apiVersion: "v1", metadata, ...(clientCa !== undefined && { data: { "client-ca-file": clientCa } }) }
}
