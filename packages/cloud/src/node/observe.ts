import { type Node, nodes } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import type { Clock } from "@pilothouse/seams"
import type { CloudCalls } from "../provider/cloud-calls.ts"
import { InstanceNotFound } from "../provider/cloud-errors.ts"
import type { InstanceMetadata, Instances } from "../provider/provider.ts"
import { isUninitialized } from "./uninitialized.ts"

/** A node, and what the cloud says about its instance. */
export interface Observed {
  readonly node: Node
  /** Undefined where no request was due, or the cloud has no such instance. */
  readonly instance?: InstanceMetadata
  /** Milliseconds until the next request to the cloud. */
  readonly nextIn: number
}

/** What `observe` uses besides the cache. */
export interface ObserveContext {
  readonly instances: Instances
  readonly calls: CloudCalls
  readonly clock: Clock
  /** Milliseconds between two requests about an initialized node. */
  readonly frequency: number
  /** The time of the last request to the cloud, by node. */
  readonly asked: Map<string, number>
}

/** Reads the node, and its instance where a request is due: a node reports every few seconds, the cloud is read when the node is new and then every few minutes. */
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

/** A deleted instance is left to the lifecycle controller; for a new node that the cloud does not know yet the request is retried. */
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
