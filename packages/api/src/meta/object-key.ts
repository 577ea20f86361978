import { PilothouseError } from "@pilothouse/seams"
import { quoted } from "../text/quoted.ts"
import type { ObjectMeta } from "./meta.ts"

/** Which object of a resource. Cluster-scoped objects have no namespace. */
export interface Ref {
  readonly namespace?: string
  readonly name: string
}

interface HasMeta {
  readonly metadata: Pick<ObjectMeta, "namespace" | "name">
}

/** "default/web"; "worker-1" for what is cluster-scoped. What stores index by and work queues hold. */
export function keyOf(object: HasMeta): string {
  const { namespace, name = "" } = object.metadata
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`
}

/** Returns namespace and name of an object. */
export function refOf(object: HasMeta): Ref {
  const { namespace, name = "" } = object.metadata
  return namespace === undefined || namespace === "" ? { name } : { namespace, name }
}

/** Returns the key of a namespace and a name: client-go's MetaNamespaceKeyFunc. */
export function joinKey(ref: Ref): string {
  return ref.namespace === undefined || ref.namespace === "" ? ref.name : `${ref.namespace}/${ref.name}`
}

/** Returns namespace and name of a key (client-go's SplitMetaNamespaceKey). Throws for a key with more than one slash. */
export function splitKey(key: string): Ref {
  const slash = key.indexOf("/")
  if (slash === -1) return { name: key }
  if (key.includes("/", slash + 1)) throw new PilothouseError("INVALID", `unexpected key format: ${quoted(key)}`)
  return slash === 0 ? { name: key.slice(1) } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
