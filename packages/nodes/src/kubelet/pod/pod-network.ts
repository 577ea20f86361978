import type { Node, Pod } from "@pilothouse/api/core/v1"

/** Where a pod stands with its address. */
export type PodAddress =
  | { readonly address: string }
  /** It cannot start before it has one. */
  | { readonly waiting: string }

/**
 * The source of pod addresses, where that is not the node's own block: another network says what it has written on the pod.
 * Pure: asked again whenever the pod changes.
 */
export type PodNetwork = (pod: Pod, node: Node) => PodAddress
