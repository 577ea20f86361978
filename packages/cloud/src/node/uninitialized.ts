import type { Node, Taint } from "@pilothouse/api/core/v1"

/** A kubelet with an external cloud provider puts it on its node; nothing runs there until the cloud has said what the node is. */
export const uninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized"

export function isUninitialized({ spec }: Node): boolean {
  return spec?.taints?.some((taint) => taint.key === uninitializedTaint) ?? false
}

export function withoutTaint({ spec }: Node, key: string): readonly Taint[] {
  return (spec?.taints ?? []).filter((taint) => taint.key !== key)
}
