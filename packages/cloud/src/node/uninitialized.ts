import type { Node, Taint } from "@pilothouse/api/core/v1"

/** A kubelet with an external cloud provider taints its node with it; no pod is scheduled there until the cloud has described the node. */
export const uninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized"

/** Reports whether the node still has the taint of uninitialized nodes. */
export function isUninitialized({ spec }: Node): boolean {
  return spec?.taints?.some((taint) => taint.key === uninitializedTaint) ?? false
}

/** Returns the taints of the node without those of the key. */
export function withoutTaint({ spec }: Node, key: string): readonly Taint[] {
  return (spec?.taints ?? []).filter((taint) => taint.key !== key)
}
