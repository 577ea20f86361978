import { checkDns1123Label } from "@pilothouse/api"
import type { Namespace } from "@pilothouse/api/core/v1"
import { finalizerNameErrors } from "../validation/object-meta.ts"
import { keep } from "./generic.ts"
import type { ResourceStrategy } from "./resource.ts"

const ownFinalizer = "kubernetes"
const nameLabel = "kubernetes.io/metadata.name"

/** A namespace stays until its own finalizers (spec) and those of other controllers (metadata) are gone. */
export const namespace: ResourceStrategy<Namespace> = {
  names: checkDns1123Label,
  defaults(object) {
    // The name of the path may still be missing in the body of an update; it is put in later.
    if (object.metadata.name !== undefined) object.metadata.labels = { ...object.metadata.labels, [nameLabel]: object.metadata.name }
  },
  prepareForCreate(object) {
    const { metadata } = object
    if (metadata.name !== undefined) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name }
    object.status = { phase: "Active" }
    const finalizers = object.spec?.finalizers ?? []
    object.spec = { finalizers: finalizers.includes(ownFinalizer) ? finalizers : [...finalizers, ownFinalizer] }
  },
  prepareForUpdate(object, old) {
    keep(object, old, "spec")
  },
  validate: ({ spec }) => (spec?.finalizers ?? []).flatMap((finalizer) => finalizerNameErrors(finalizer, "spec.finalizers")),
  validateStatusUpdate: () => [],
  markDeleting(object) {
    object.status = { ...object.status, phase: "Terminating" }
    // Upstream has a way of its own to mark one, which says nothing of grace.
    delete object.metadata.deletionGracePeriodSeconds
  },
  canFinalize: ({ spec }) => (spec?.finalizers ?? []).length === 0,
  deleteAnswer: "object",
  fields: { "status.phase": ({ status }) => status?.phase ?? "" },
}
