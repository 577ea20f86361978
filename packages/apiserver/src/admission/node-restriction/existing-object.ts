import { type Descriptor, type KubeObject, notFound } from "@pilothouse/api"
import { readObject } from "../../registry/object-key.ts"
import type { AdmissionAttributes } from "../plugin.ts"

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
