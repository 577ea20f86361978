import type { TransportResponse } from "@pilothouse/seams"
import { currentObject } from "../objects/current-object.ts"
import { patchObject } from "../objects/patch-object.ts"
import { replaceObject } from "../objects/replace-object.ts"
import { statusUpdate, type UpdateKind } from "../resources/generic.ts"
import { objectResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"

/** The same object; a write changes its status and leaves the rest alone. */
export function status(call: Call): Promise<TransportResponse> {
  return objectEndpoint(call, statusUpdate)
}

/** Serves a subresource that is the object itself, of which a write changes only a part. */
export async function objectEndpoint(call: Call, kind: UpdateKind): Promise<TransportResponse> {
  if (call.verb === "get") return objectResponse(call, await currentObject(call))
  const { object, created } = await (call.verb === "update" ? replaceObject(call, kind) : patchObject(call, kind))
  return objectResponse(call, object, created ? 201 : 200)
}
