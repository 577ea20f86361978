import type { TransportResponse } from "@pilothouse/seams"
import { keep, mainUpdate, type UpdateKind } from "../resources/generic.ts"
import type { Call } from "../server/call.ts"
import { objectEndpoint } from "./status.ts"

/** The finalizers of a namespace's spec, and its metadata; the status stays. */
const finalizeUpdate: UpdateKind = {
  prepare(_resource, draft, old) {
    keep(draft, old, "status")
  },
  validate: (resource, object, old, about) => mainUpdate.validate(resource, object, old, about),
}

/** The namespace controller takes its own finalizer away here when the namespace is empty; without any left the namespace goes. */
export function finalize(call: Call): Promise<TransportResponse> {
  return objectEndpoint(call, finalizeUpdate)
}
