import type { KubeObject } from "@pilothouse/api"
import type { Draft } from "../../body/draft.ts"
import { managedFieldsOf } from "../../managedfields/object-managed-fields.ts"
import type { Resource } from "../../resources/resource.ts"
import { convertObject } from "../../resources/stored-form.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import type { ReviewRequest } from "./admission-review.ts"

/** The objects of a request in the version of the rule that matched. */
export interface VersionedObjects {
  readonly resource: Resource
  /** Converts the objects as they are now, where a webhook has to do that; undefined where `review` can be called at once. */
  ready(): Promise<void> | undefined
  /** What is sent to the webhook. */
  review(): ReviewRequest
  /** Converts what a webhook has made of the object back into the version of the request. */
  back(object: Draft<KubeObject>): Draft<KubeObject> | Promise<Draft<KubeObject>>
}

interface Converted {
  readonly object: KubeObject | undefined
  readonly old: KubeObject | undefined
}

/** Holds the object of a request in the version that a webhook has rules for (match policy Equivalent), and takes its changes back. */
export function versionedObjects(attributes: AdmissionAttributes, resource: Resource): VersionedObjects {
  const { resource: requested, kind } = attributes
  const isSame = resource === requested || kind !== undefined
  const convert = (object: KubeObject) => (isSame ? object : convertObject(requested, resource, object))
  let awaited: Converted | undefined
  return {
    resource,
    ready() {
      if (isSame || resource.conversion === undefined) return undefined
      const { object, old } = attributes
      return (async () => {
        awaited = { object: object && (await convert(object as KubeObject)), old: old && (await convert(old)) }
      })()
    },
    review() {
      const { object, old, managedFields } = attributes
      // Nothing is awaited: `ready` has been called where a conversion takes time.
      const shownIn = awaited ?? {
        object: object && (convert(object as KubeObject) as KubeObject),
        old: old && (convert(old) as KubeObject),
      }
      return {
        attributes,
        resource,
        object: shownIn.object && shown(shownIn.object, attributes, resource, managedFields),
        oldObject: shownIn.old && shown(shownIn.old, attributes, resource, managedFieldsOf(old!)),
      }
    },
    back: (object) =>
      isSame ? object : (convertObject(resource, requested, object as KubeObject) as Draft<KubeObject> | Promise<Draft<KubeObject>>),
  }
}

/** As clients see it: Go's form, with the managedFields in the metadata. */
function shown(object: KubeObject, { kind }: AdmissionAttributes, resource: Resource, managedFields: readonly unknown[] = []): unknown {
  const form = kind === undefined ? (resource.withNulls(object) as KubeObject) : object
  return managedFields.length === 0 ? form : { ...form, metadata: { ...form.metadata, managedFields } }
}
