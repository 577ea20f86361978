import type { ConfigMap, Namespace } from "@pilothouse/api/core/v1"
import type { PriorityClass } from "@pilothouse/api/scheduling/v1"
import { requestHeaderData } from "../certificates/front-proxy.ts"
import type { BootstrapOptions } from "./wanted.ts"

export const namespaceNames: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"]

export function systemNamespace(name: string): Namespace {
  return {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  }
}

/** What the cluster itself needs goes before everything that users run. */
export const systemPriorityClasses: readonly PriorityClass[] = [
  systemClass(
    "system-cluster-critical",
    2_000_000_000,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  ),
  systemClass("system-node-critical", 2_000_001_000, "Used for system critical pods that must not be moved from their current node."),
]

function systemClass(name: string, value: number, description: string): PriorityClass {
  return {
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name, generation: 1 },
    value,
    description,
    preemptionPolicy: "PreemptLowerPriority",
  }
}

/**
 * Returns the ConfigMap extension-apiserver-authentication, by which the controller manager, the scheduler and extension servers authenticate the
 * users of this server. They wait for it at their start.
 */
export function authenticationConfig({ clientCa, frontProxy }: Pick<BootstrapOptions, "clientCa" | "frontProxy">): ConfigMap {
  const metadata = { name: "extension-apiserver-authentication", namespace: "kube-system" }
  const data = {
    ...(clientCa !== undefined && { "client-ca-file": clientCa }),
    ...(frontProxy !== undefined && requestHeaderData(frontProxy)),
  }
  return { kind: "ConfigMap", apiVersion: "v1", metadata, ...(Object.keys(data).length > 0 && { data }) }
}

/** The day since when the use of token Secrets is tracked: the controller manager deletes those that were not used since. */
export function tokenTracking(today: string): ConfigMap {
  const metadata = { name: "kube-apiserver-legacy-service-account-token-tracking", namespace: "kube-system" }
  return { kind: "ConfigMap", apiVersion: "v1", metadata, data: { since: today } }
}
