import { type Node, nodes } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import type { Clock } from "@pilothouse/seams"
import type { CloudCalls } from "../provider/cloud-calls.ts"
import { InstanceNotFound } from "../provider/cloud-errors.ts"
import type { InstanceMetadata, Instances } from "../provider/provider.ts"
import { isUninitialized } from "./uninitialized.ts"

export interface Observed {
  readonly node: Node
  /** What the cloud says of the node; undefined where it was not asked, or has no such machine. */
  readonly instance?: InstanceMetadata
  /** Milliseconds until the cloud should be asked again. */
  readonly nextIn: number
}

export interface ObserveContext {
  readonly instances: Instances
  readonly calls: CloudCalls
  readonly clock: Clock
  /** Milliseconds between two questions about a node in use. */
  readonly frequency: number
  /** When the cloud was last asked, by node. */
  readonly asked: Map<string, number>
}

/** A node reports every few seconds; the cloud is asked about it when it is new, and every few minutes. */
export async function observe(key: string, read: Reader, signal: AbortSignal, context: ObserveContext): Promise<Observed | undefined> {
  const { clock, frequency, asked } = context
  const found = read.get(nodes, key)
  if (found === undefined) {
    asked.delete(key)
    return undefined
  }
  const isDue = isUninitialized(found) || clock.elapsed() - (asked.get(key) ?? -Infinity) >= frequency
  const instance = isDue ? await describeInstance(found, context, signal) : undefined
  const node = read.get(nodes, key)
  // Another node has taken the name meanwhile: what the cloud said is not about that one.
  if (node !== undefined && node.metadata.uid !== found.metadata.uid) {
    asked.delete(key)
    return observe(key, read, signal, context)
  }
  if (isDue) asked.set(key, clock.elapsed())
  return node && { node, instance, nextIn: Math.max(1, (asked.get(key) ?? 0) + frequency - clock.elapsed()) }
}

/** A machine that is gone is for the lifecycle controller; a new one that the cloud does not know yet is asked for again. */
async function describeInstance(
  node: Node,
  { instances, calls }: ObserveContext,
  outer: AbortSignal,
): Promise<InstanceMetadata | undefined> {
  try {
    return await calls.run("describe a machine", (signal) => instances.metadata(node, signal), outer)
  } catch (error) {
    if (error instanceof InstanceNotFound && !isUninitialized(node)) return undefined
    throw error
  }
}
