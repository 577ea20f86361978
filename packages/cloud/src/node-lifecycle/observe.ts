import { findCondition, parseTime } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import type { Clock } from "@pilothouse/seams"
import { isUninitialized } from "../node/uninitialized.ts"
import type { CloudCalls } from "../provider/cloud-calls.ts"
import type { Instances } from "../provider/provider.ts"

/** A node, and the state of its instance. */
export interface Observed {
  readonly node: Node
  /** Undefined where the cloud was not read. */
  readonly machine?: "running" | "shut down" | "gone"
}

/** What `observe` uses besides the cache. */
export interface ObserveContext {
  readonly instances: Instances
  readonly calls: CloudCalls
  readonly clock: Clock
}

/** Milliseconds that a new node may be unknown to the cloud. */
const uninitializedDelay = 60_000

/** Reads the node, and the state of its instance where the node may have lost it. */
export async function observe(key: string, read: Reader, outer: AbortSignal, context: ObserveContext): Promise<Observed | undefined> {
  const { instances, calls, clock } = context
  const found = read.get(nodes, key)
  if (found === undefined) return undefined
  const machine = mayBeGone(found, clock.now())
    ? await calls.run("find a machine", (signal) => machineState(found, instances, signal), outer)
    : undefined
  const node = read.get(nodes, key)
  // Another node may have taken the name meanwhile: what the cloud said is not about that one.
  return node && { node, machine: node.metadata.uid === found.metadata.uid ? machine : undefined }
}

/** Returns the status of the Ready condition; Unknown where the node has none. */
export function readiness({ status }: Node): string {
  return findCondition(status?.conditions, "Ready")?.status ?? "Unknown"
}

function mayBeGone(node: Node, now: number): boolean {
  if (readiness(node) === "True") return false
  if (node.spec?.providerID || !isUninitialized(node)) return true
  const { creationTimestamp } = node.metadata
  return creationTimestamp !== undefined && now - parseTime(creationTimestamp) >= uninitializedDelay
}

async function machineState(node: Node, instances: Instances, signal: AbortSignal): Promise<Observed["machine"]> {
  if (!(await instances.exists(node, signal))) return "gone"
  return (await instances.isShutDown(node, signal)) ? "shut down" : "running"
}
