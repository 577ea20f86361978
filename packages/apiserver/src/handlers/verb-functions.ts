import { badRequest } from "@pilothouse/api"
import type { TransportResponse } from "@pilothouse/seams"
import { noSuchResource } from "../request/no-such-resource.ts"
import { notAllowed } from "../request/not-allowed.ts"
import type { ApiVerb } from "../request/request-info.ts"
import { isCustom } from "../resources/resource.ts"
import { reviewFunction } from "../reviews/index.ts"
import type { Call } from "../server/call.ts"
import { subresourceFunction } from "../subresources/index.ts"
import { create } from "../verbs/create.ts"
import { deleteCollection, remove } from "../verbs/delete.ts"
import { get } from "../verbs/get.ts"
import { list } from "../verbs/list.ts"
import { patch, update } from "../verbs/update.ts"
import { watch } from "../verbs/watch.ts"

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

/** Returns the function that serves a call; throws 404 or 405 where there is none. */
export function verbFunction(call: Call): VerbFunction {
  const { descriptor } = call.resource
  const needsNamespace = descriptor.namespaced && call.namespace === undefined
  if (!descriptor.namespaced && call.namespace !== undefined) throw noSuchResource()
  if (needsNamespace && call.name !== "") throw noSuchResource()
  if (call.subresource !== "") return subresourceFunction(call)
  checkPlace(call, needsNamespace)
  return reviewFunction(call) ?? verbs[call.verb]
}

function checkPlace({ resource, verb, name }: Call, needsNamespace: boolean): void {
  const misplaced = needsNamespace && verb !== "list" && verb !== "watch"
  const lacksName = name === "" && (verb === "update" || verb === "patch")
  if (lacksName && isCustom(resource)) throw badRequest("name must be provided")
  const elsewhere = verb === "create" ? name !== "" : lacksName
  if (!resource.descriptor.verbs.includes(verb) || misplaced || elsewhere) throw notAllowed()
}
