import { type KubeObject, notFound } from "@pilothouse/api"
import { queryValue } from "@pilothouse/seams"
import { readObject } from "../registry/object-key.ts"
import { versionOf } from "../request/list-options.ts"
import type { Call } from "../server/call.ts"
import { waitForRevision } from "../watch/wait-for-revision.ts"

/** Returns the object that a request names, as new as its resourceVersion parameter requires; throws a 404 where there is none. */
export async function currentObject(call: Call): Promise<KubeObject> {
  await waitForRevision(call, versionOf(queryValue(call.query, "resourceVersion") ?? "") ?? 0)
  const object = readObject(call.server.storage, call.resource, call.namespace, call.name)
  if (object === undefined) throw notFound(call.resource.descriptor, call.name)
  return object
}
