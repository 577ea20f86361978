import { type KubeObject, notFound } from "@pilothouse/api"
import { queryValue } from "@pilothouse/seams"
import { objectKey } from "../registry/object-key.ts"
import { versionOf } from "../request/list-options.ts"
import { decodeStored } from "../resources/stored-form.ts"
import type { Call } from "../server/call.ts"
import { waitForRevision } from "../watch/wait-for-revision.ts"

/** Returns the object that a request names, as new as its resourceVersion parameter requires; throws a 404 where there is none. */
export async function currentObject(call: Call): Promise<KubeObject> {
  await waitForRevision(call, versionOf(queryValue(call.query, "resourceVersion") ?? "") ?? 0)
  const stored = call.server.storage.get(objectKey(call.resource, call.namespace, call.name))
  if (stored === undefined) throw notFound(call.resource.descriptor, call.name)
  return decodeStored(call.resource, stored.value)
}
