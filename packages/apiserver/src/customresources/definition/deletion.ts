import { parseTime } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import type { Draft } from "../../body/draft.ts"
import { withCondition } from "./conditions.ts"

/** Holds a definition until its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

/** Prepares a definition that was just deleted: it stays until the server has deleted its objects. */
export function markDefinition(definition: Draft<CustomResourceDefinition>): void {
  const { metadata } = definition
  if (!metadata.finalizers?.includes(cleanupFinalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), cleanupFinalizer]
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
  const condition = { type: "Terminating", status: "True", reason: "InstanceDeletionPending", message }
  const marked = withCondition(definition as CustomResourceDefinition, condition, parseTime(metadata.deletionTimestamp ?? ""))
  definition.status = marked.status as Draft<CustomResourceDefinition>["status"]
}
