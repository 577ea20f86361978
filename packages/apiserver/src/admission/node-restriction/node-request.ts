import { type Descriptor, forbidden, type KubeObject, notFound, type StatusError } from "@pilothouse/api"
import { readObject } from "../../registry/object-key.ts"
import type { AdmissionAttributes } from "../plugin.ts"

/** Returns the 403 of a request that a node may not make. */
export function refused({ resource, name, object }: AdmissionAttributes, why: string): StatusError {
  return forbidden(resource.descriptor, name || (object?.metadata?.generateName ?? ""), why)
}

/** Returns an object that a request refers to, or throws in the words of upstream's caches, which name the kind in the singular. */
export function existing<T extends KubeObject>(
  { server }: Pick<AdmissionAttributes, "server">,
  descriptor: Descriptor<T>,
  namespace: string | undefined,
  name: string,
): T {
  const found = readObject(server.storage, server.registry.of(descriptor), namespace, name)
  if (found !== undefined) return found
  throw notFound({ group: descriptor.group, plural: descriptor.kind.toLowerCase() }, name)
}
