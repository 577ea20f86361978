import { type Descriptor, isAlreadyExists, type KubeObject } from "@pilothouse/api"
import { descriptorFor } from "@pilothouse/api/descriptors"
import type { Client } from "@pilothouse/runtime"
import { isDefinition, untilEstablished } from "@pilothouse/runtime/manifests"
import type { Clock } from "@pilothouse/seams"

/**
 * Creates or patches the objects, in their order but for CustomResourceDefinitions, which come first: their kinds are served before the rest is
 * applied. Returns what is stored, in the order of `objects`.
 */
export async function applyObjects(client: Client, clock: Clock, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const applied = new Map<KubeObject, KubeObject>()
  for (const definition of objects.filter(isDefinition)) {
    await applyObject(client, definition)
    applied.set(definition, await untilEstablished(client, definition.metadata.name ?? "", { clock }))
  }
  for (const object of objects) if (!isDefinition(object)) applied.set(object, await applyObject(client, object))
  return objects.map((object) => applied.get(object)!)
}

/** Creates the object, or patches the one that is there. */
async function applyObject(client: Client, object: KubeObject): Promise<KubeObject> {
  const of = await resourceOf(client, object)
  const namespaced = withDefaultNamespace(of, object)
  try {
    return await client.create(of, namespaced)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return client.patch(of, namespaced, namespaced)
  }
}

/** Returns the resource of a kind of Kubernetes, or by discovery that of a custom one. */
async function resourceOf(client: Client, { apiVersion, kind }: KubeObject): Promise<Descriptor> {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  return descriptorFor({ group, version, kind }) ?? client.forKind(apiVersion, kind)
}

function withDefaultNamespace({ namespaced }: Descriptor, object: KubeObject): KubeObject {
  if (!namespaced || object.metadata.namespace !== undefined) return object
  return { ...object, metadata: { ...object.metadata, namespace: "default" } }
}
