import { findCondition } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import type { Observed, VolumeOnNode } from "./observe.ts"

/** Milliseconds for which an unhealthy node may keep a volume in use. */
export const unmountLimit = 6 * 60_000
const outOfServiceTaint = "node.kubernetes.io/out-of-service"

export type DetachCause = "unused" | "timeout" | "out-of-service"

/** Why a volume may be detached now, or what it waits for. */
export type DetachDecision =
  | { readonly may: true; readonly cause: DetachCause }
  /** `at`: when an unhealthy node loses it all the same, in milliseconds since 1970. */
  | { readonly may: false; readonly at: number | undefined }

export interface DetachOptions {
  /** --disable-force-detach-on-timeout */
  readonly disableForceDetachOnTimeout?: boolean
}

/**
 * Reports whether a volume that no pod needs may be detached: when its node does not use it any more, is out of service, or has been unhealthy and has used it
 * for six minutes. A healthy node that uses it is waited for without end.
 */
export function mayDetach({ node, live }: Observed, name: string, since: number, now: number, options: DetachOptions = {}): DetachDecision {
  const limit = since + unmountLimit
  const isForced = options.disableForceDetachOnTimeout !== true
  const isExpired = now > limit && isForced
  if (node !== undefined && isOutOfService(node)) return { may: true, cause: isExpired ? "timeout" : "out-of-service" }
  const isHealthy = findCondition(node?.status?.conditions, "Ready")?.status === "True"
  if (!isHealthy && isExpired) return { may: true, cause: "timeout" }
  if (!isUsed(node, live, name)) return { may: true, cause: isExpired ? "timeout" : "unused" }
  return { may: false, at: isHealthy || !isForced ? undefined : limit + 1 }
}

/** What a Node that is gone uses is unknown. */
function isUsed(node: Node | undefined, live: Observed["live"], name: string): boolean {
  if (node === undefined) return true
  return uses(node, name) || (live !== undefined && live !== null && uses(live, name))
}

/** Reports whether a Node says of itself that it uses a volume. */
function uses({ status }: Node, name: string): boolean {
  return status?.volumesInUse?.includes(name) === true
}

/** Reports whether the Node says that a volume is attached: its kubelet may mount it. */
export function isListed(node: Node | undefined, name: string): boolean {
  return node?.status?.volumesAttached?.some((one) => one.name === name) === true
}

function isOutOfService({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === outOfServiceTaint) === true
}

/** A volume is detached once its Node does not list it: from then on its kubelet mounts it no more. */
export function isDetachable({ node }: Observed, { volume, pods, attachment }: VolumeOnNode): boolean {
  return (
    pods.length === 0 && attachment !== undefined && attachment.metadata.deletionTimestamp === undefined && !isListed(node, volume.name)
  )
}

/** Reports whether the Node has to be read from the server: its kubelet may have begun to use a volume that it does not list any more. */
export function awaitsDetach(observed: Observed): boolean {
  const { node } = observed
  return node !== undefined && observed.volumes.some((one) => isDetachable(observed, one) && !uses(node, one.volume.name))
}
