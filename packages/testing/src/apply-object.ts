import { type Descriptor, isAlreadyExists, type KubeObject } from "@pilothouse/api"
import { descriptorFor } from "@pilothouse/api/descriptors"
import type { Client } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"

/** Creates the object, or patches the one that is there. */
export async function applyObject<T extends KubeObject>(client: Client, object: T): Promise<T> {
  const namespaced = withDefaultNamespace(object)
  const of = descriptorOf(namespaced)
  try {
    return await client.create(of, namespaced)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return client.patch(of, namespaced, namespaced)
  }
}

function descriptorOf<T extends KubeObject>({ apiVersion, kind }: T): Descriptor<T> {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  const found = descriptorFor({ group, version, kind })
  if (found === undefined) throw new PilothouseError("INVALID", `expected a known kind, found ${apiVersion} ${kind}`)
  return found as Descriptor<T>
}

function withDefaultNamespace<T extends KubeObject>(object: T): T {
  if (!descriptorOf(object).namespaced || object.metadata.namespace !== undefined) return object
  return { ...object, metadata: { ...object.metadata, namespace: "default" } }
}
