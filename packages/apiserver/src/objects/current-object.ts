import { type KubeObject, notFound } from "@pilothouse/api"
import { queryValue } from "@pilothouse/seams"
import type { Call } from "../request/call.ts"
import { versionOf } from "../request/list-options.ts"
import { waitForRevision } from "../watch/wait-for-revision.ts"
import { readObject } from "./key.ts"

/** Returns the object that a request names, as new as its resourceVersion parameter requires; throws a 404 where there is none. */
export async function currentObject(call: Call): Promise<KubeObject> {
  await waitForRevision(call, versionOf(queryValue(call.query, "resourceVersion") ?? "") ?? 0)
  const object = readObject(call.server.storage, call.resource, call.namespace, call.name)
  if (object === undefined) throw notFound(call.resource.descriptor, call.name)
  return object
}
