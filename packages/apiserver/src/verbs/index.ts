import type { TransportResponse } from "@pilothouse/seams"
import type { Call } from "../request/call.ts"
import { noSuchResource } from "../request/no-such-resource.ts"
import { notAllowed } from "../request/not-allowed.ts"
import type { ApiVerb } from "../request/request-info.ts"
import { reviewFunction } from "../reviews/index.ts"
import { subresourceFunction } from "../subresources/index.ts"
import { create } from "./create.ts"
import { remove } from "./delete.ts"
import { deleteCollection } from "./delete-collection.ts"
import { get } from "./get.ts"
import { list } from "./list.ts"
import { patch, update } from "./update.ts"
import { watch } from "./watch.ts"

export type VerbFunction = (call: Call) => Promise<TransportResponse>

const verbs: Readonly<Record<ApiVerb, VerbFunction>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
}

/** What carries a call out; a 404 or 405 when nothing does. */
export function verbFunction(call: Call): VerbFunction {
  const { descriptor } = call.resource
  const needsNamespace = descriptor.namespaced && call.namespace === undefined
  if (!descriptor.namespaced && call.namespace !== undefined) throw noSuchResource()
  if (call.subresource !== "") {
    if (needsNamespace) throw noSuchResource()
    return subresourceFunction(call)
  }
  const acrossNamespaces = call.verb === "list" || call.verb === "watch"
  const misplaced = needsNamespace && !acrossNamespaces
  const elsewhere = call.verb === "create" ? call.name !== "" : call.name === "" && (call.verb === "update" || call.verb === "patch")
  if (!descriptor.verbs.includes(call.verb) || misplaced || elsewhere) throw notAllowed()
  return reviewFunction(call) ?? verbs[call.verb]
}
