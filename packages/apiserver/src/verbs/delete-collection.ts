import { isNotFound } from "@pilothouse/api"
import type { TransportResponse } from "@pilothouse/seams"
import { deleteObject } from "../objects/delete-object.ts"
import { listResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import { deleteOptions, withDryRun } from "./delete.ts"
import { readList } from "./list.ts"

/** Deletes each object that the selectors name as if it had been asked for alone; answers with what there was. */
export async function deleteCollection(call: Call): Promise<TransportResponse> {
  const options = deleteOptions(call)
  const list = await readList(call)
  const pause = call.server.turns.begin(call.signal)
  for (const { metadata } of list.items) {
    const one: Call = { ...withDryRun(call, options), verb: "delete", name: metadata.name ?? "", namespace: metadata.namespace }
    await deleteObject(one, options).catch(ignoreGone)
    // In memory nothing else waits: thousands of deletions would be one turn.
    await pause()
  }
  return listResponse(call, list)
}

/** Another client has deleted it first. */
function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}
