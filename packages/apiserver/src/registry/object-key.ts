import type { KubeObject } from "@pilothouse/api"
import type { Resource } from "../resources/resource.ts"
import type { Storage } from "../storage/storage.ts"

interface Kept {
  readonly stored: { readonly prefix: string }
}

/** Returns the storage key of an object: "/registry/pods/default/web", "/registry/nodes/worker-1". */
export function objectKey(resource: Kept, namespace: string | undefined, name: string): string {
  return `${listPrefix(resource, namespace)}${name}`
}

export function listPrefix(resource: Kept, namespace: string | undefined): string {
  return namespace === undefined ? resource.stored.prefix : `${resource.stored.prefix}${namespace}/`
}

/** The object as the resource shows it. */
export function readObject<T extends KubeObject>(
  storage: Storage,
  resource: Resource<T>,
  namespace: string | undefined,
  name: string,
): T | undefined {
  const stored = storage.get(objectKey(resource, namespace, name))
  return stored && resource.stored.decode(stored.value)
}
