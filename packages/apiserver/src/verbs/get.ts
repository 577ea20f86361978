import { notFound } from "@pilothouse/api"
import { queryValue, type TransportResponse } from "@pilothouse/seams"
import { readObject } from "../objects/key.ts"
import type { Call } from "../request/call.ts"
import { versionOf } from "../request/list-options.ts"
import { objectResponse } from "../response/response.ts"
import { waitForRevision } from "../watch/wait-for-revision.ts"

export async function get(call: Call): Promise<TransportResponse> {
  await waitForRevision(call, versionOf(queryValue(call.query, "resourceVersion") ?? "") ?? 0)
  const object = readObject(call.server.storage, call.resource, call.namespace, call.name)
  if (object === undefined) throw notFound(call.resource.descriptor, call.name)
  return objectResponse(call, object)
}
