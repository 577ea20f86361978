import { apiVersionOf, resourceNameOf } from "@pilothouse/api"
import type { Namespace } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import type { Collection } from "./observe.ts"
import { isTerminating } from "./remaining.ts"

/** Background: everything in the namespace is deleted anyway, so nothing has to be orphaned first. */
const options = { propagationPolicy: "Background" } as const

/** Deletes the collection in one call where the server can. Objects that are terminating already are not deleted again. */
export function deleteItems(built: PlanBuilder, collection: Collection, namespace: Namespace): void {
  const { of, items } = collection
  const fresh = items.filter((item) => !isTerminating(item)).length
  if (fresh === 0) return
  if (!of.verbs.includes("deletecollection")) return deleteEach(built, collection)
  const reason = `the namespace is deleted and has ${fresh} ${resourceNameOf(of)}`
  built.operation({ ...ofCollection(collection.of, namespace), reason })
}

export function deleteEach(built: PlanBuilder, { of, items }: Collection): void {
  const reason = `its namespace is deleted, and the server cannot delete all ${resourceNameOf(of)} at once`
  for (const object of items.filter((item) => !isTerminating(item))) built.operation({ do: "delete", of, object, options, reason })
}

export function ofCollection(of: Collection["of"], { metadata }: Namespace) {
  const object = { apiVersion: apiVersionOf(of), kind: of.kind, metadata: { namespace: metadata.name } }
  return { do: "deleteCollection", of, object, options, tolerate: ["NotFound"] } as const
}
