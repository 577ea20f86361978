import { type Descriptor, type Int64, isMethodNotAllowed, isNotFound, type KubeObject } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"
import { parseJson, stringifyJson } from "@pilothouse/seams"
import type { Cluster } from "./cluster-options.ts"

/** Kinds that record what happened rather than what is. */
const leftOut: ReadonlySet<string> = new Set(["Event", "Lease", "NodeMetrics", "PodMetrics"])

/** Fields that differ from run to run: drawn by lot, or counting the steps of the way. */
const drawnByLot: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "managedFields",
  "generation",
  "nodeName",
  "podIP",
  "podIPs",
  "hostIP",
  "hostIPs",
  "containerID",
  "startTime",
  "startedAt",
  // Holds, with their times, the conditions of autoscaling/v2, which are compared there.
  "autoscaling.alpha.kubernetes.io/conditions",
])

/** Everything a cluster holds, without what is drawn by lot: two runs of one scenario can be compared. */
export async function endState(cluster: Pick<Cluster, "list">): Promise<readonly unknown[]> {
  const kinds = allDescriptors.filter((kind) => kind.verbs.includes("list") && !leftOut.has(kind.kind))
  const lists = await Promise.all(kinds.map((kind) => listOrNone(cluster, kind)))
  const texts = lists.flat().map((object) => stringifyJson(comparable(withoutGeneratedName(object), object.metadata.generation)))
  return texts.sort().map((text): unknown => parseJson(text))
}

/** A kind that the server does not have has no objects; whatever else goes wrong must not look like an empty cluster. */
async function listOrNone(cluster: Pick<Cluster, "list">, kind: Descriptor): Promise<readonly KubeObject[]> {
  try {
    return await cluster.list(kind)
  } catch (error) {
    if (isNotFound(error) || isMethodNotAllowed(error)) return []
    throw error
  }
}

/** An IPAddress is named after the address, which is drawn by lot as its Service's is. */
function withoutGeneratedName(object: KubeObject): KubeObject {
  const { generateName } = object.metadata
  const name = object.kind === "IPAddress" ? "?" : generateName === undefined ? undefined : `${generateName}?`
  return name === undefined ? object : { ...object, metadata: { ...object.metadata, name } }
}

/** How often a spec was written differs from run to run; whether its status is about the last one does not. */
function comparable(value: unknown, generation: Int64 | undefined): unknown {
  if (Array.isArray(value)) return value.map((part) => comparable(part, generation))
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([name, part]) => !drawnByLot.has(name) && !isTime(name) && !isServiceAddress(name, part))
  return Object.fromEntries(
    kept.map(([name, part]) => {
      if (name === "observedGeneration") return [name, part === generation]
      return [name, comparable(name === "conditions" ? byType(part) : part, generation)]
    }),
  )
}

/** Conditions are known by their type. They stand in the order in which they last turned, and which turned first may differ from run to run. */
function byType(conditions: unknown): unknown {
  if (!Array.isArray(conditions)) return conditions
  const typeOf = (condition: unknown) => String((condition as { readonly type?: unknown } | null)?.type)
  return conditions.toSorted((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1))
}

/** The address of a Service is drawn by lot; that it has none ("None") is not. */
function isServiceAddress(name: string, value: unknown): boolean {
  return (name === "clusterIP" || name === "clusterIPs") && !String(value).includes("None")
}

function isTime(name: string): boolean {
  return name.endsWith("Time") || name.endsWith("Timestamp") || name === "timeAdded"
}
