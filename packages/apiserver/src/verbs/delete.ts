import { isNotFound, type KubeObject, successStatus } from "@pilothouse/api"
import type { TransportResponse } from "@pilothouse/seams"
import { deleteObject, withDryRun } from "../objects/delete-object.ts"
import { type DeleteOptions, deleteOptionsOf } from "../request/delete-options.ts"
import { listResponse, objectResponse, valueResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import { readList } from "./list.ts"

export async function remove(call: Call): Promise<TransportResponse> {
  const options = deleteOptions(call)
  const { object, gone } = await deleteObject(withDryRun(call, options), options)
  if (!gone || call.resource.strategy.deleteAnswer === "object") return objectResponse(call, object)
  return valueResponse(call, successOf(call, object))
}

export function deleteOptions(call: Call): DeleteOptions {
  const options = deleteOptionsOf(call.body, call.query)
  const { orphanWarning } = call.resource.strategy
  const said = options.propagationPolicy !== undefined || options.orphanDependents !== undefined
  if (orphanWarning !== undefined && !said) call.warnings.add(orphanWarning)
  return options
}

function successOf({ resource, name }: Call, { metadata }: KubeObject): unknown {
  const { group, plural } = resource.descriptor
  return successStatus({ name, ...(group !== "" && { group }), kind: plural, uid: metadata.uid })
}

/** Deletes each object that the selectors name as if it had been asked for alone; answers with what there was. */
export async function deleteCollection(call: Call): Promise<TransportResponse> {
  const options = deleteOptions(call)
  const list = await readList(call)
  const pause = call.server.turns.begin(call.signal)
  for (const { metadata } of list.items) {
    const one: Call = { ...withDryRun(call, options), verb: "delete", name: metadata.name ?? "", namespace: metadata.namespace }
    await deleteObject(one, options, "").catch(ignoreGone)
    // In memory nothing else waits: thousands of deletions would be one turn.
    await pause()
  }
  return listResponse(call, list)
}

/** Another client has deleted it first. */
function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}
