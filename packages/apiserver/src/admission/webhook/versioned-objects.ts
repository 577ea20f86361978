import type { KubeObject } from "@pilothouse/api"
import type { Draft } from "../../body/draft.ts"
import { managedFieldsOf } from "../../managedfields/object-managed-fields.ts"
import type { Resource } from "../../resources/resource.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import type { ReviewRequest } from "./admission-review.ts"

/** The objects of a request in the version of the rule that matched. */
export interface VersionedObjects {
  readonly resource: Resource
  /** What is sent to the webhook. */
  review(): ReviewRequest
  /** Converts what a webhook has made of the object back into the version of the request. */
  back(object: Draft<KubeObject>): Draft<KubeObject>
}

/** Holds the object of a request in the version that a webhook asks for (match policy Equivalent), and takes its changes back. */
export function versionedObjects(attributes: AdmissionAttributes, resource: Resource): VersionedObjects {
  const { resource: requested, kind } = attributes
  const isSame = resource === requested || kind !== undefined
  const converted = (object: KubeObject) => (isSame ? object : convert(object, requested, resource))
  return {
    resource,
    review() {
      const { object, old, managedFields } = attributes
      return {
        attributes,
        resource,
        object: object && shown(converted(object as KubeObject), attributes, resource, managedFields),
        oldObject: old && shown(converted(old), attributes, resource, managedFieldsOf(old)),
      }
    },
    back: (object) => (isSame ? object : (convert(object as KubeObject, resource, requested) as Draft<KubeObject>)),
  }
}

function convert(object: KubeObject, from: Resource, to: Resource): KubeObject {
  return to.stored.decode(from.stored.encode(object))
}

/** As clients see it: Go's form, with the managedFields in the metadata. */
function shown(object: KubeObject, { kind }: AdmissionAttributes, resource: Resource, managedFields: readonly unknown[] = []): unknown {
  const form = kind === undefined ? (resource.withNulls(object) as KubeObject) : object
  return managedFields.length === 0 ? form : { ...form, metadata: { ...form.metadata, managedFields } }
}
