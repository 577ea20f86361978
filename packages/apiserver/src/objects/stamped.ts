import { deepFreeze, type KubeObject } from "@pilothouse/api"
import { type ManagedFieldsSource, managedFieldsOf, setManagedFields } from "../managedfields/object-managed-fields.ts"

/** Returns the object as it is stored: with the revision of its write and its managedFields, frozen all the way down. */
export function stamped(object: KubeObject, revision: number, managedFields: ManagedFieldsSource = managedFieldsOf(object)): KubeObject {
  const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
  return deepFreeze(setManagedFields(stored, managedFields))
}
