import type { KubeObject } from "@pilothouse/api"
import { type ManagedFields, setManagedFields } from "../managedfields/object-managed-fields.ts"
import type { Resource } from "./resource.ts"

// Objects between the forms in which they are stored and shown: at once, but for kinds that a webhook converts.

/** Returns a stored object as a resource shows it. */
export function decodeStored(resource: Resource, stored: KubeObject): KubeObject | Promise<KubeObject> {
  return resource.conversion === undefined ? resource.stored.decode(stored) : onlyOne(resource.conversion.decode([stored]))
}

async function onlyOne(objects: Promise<readonly KubeObject[]>): Promise<KubeObject> {
  return (await objects)[0]!
}

/** Returns an object as it is stored; a webhook sees it with its managedFields. */
export function encodeObject(
  { stored, conversion }: Resource,
  object: KubeObject,
  managedFields: readonly ManagedFields[],
): KubeObject | Promise<KubeObject> {
  return conversion === undefined ? stored.encode(object) : conversion.encode(setManagedFields({ ...object }, managedFields))
}

/** Returns an object of one version of a kind in another one. */
export function convertObject(from: Resource, to: Resource, object: KubeObject): KubeObject | Promise<KubeObject> {
  return to.conversion === undefined ? to.stored.decode(from.stored.encode(object)) : to.conversion.from(object)
}
