import type { Namespace } from "@pilothouse/api/core/v1"

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
