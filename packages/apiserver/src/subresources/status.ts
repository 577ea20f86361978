import type { TransportResponse } from "@pilothouse/seams"
import type { Call } from "../request/call.ts"
import { statusUpdate } from "../resources/generic.ts"
import { get } from "../verbs/get.ts"
import { patch } from "../verbs/patch.ts"
import { update } from "../verbs/update.ts"

/** The same object; a write changes its status and leaves the rest alone. */
export function status(call: Call): Promise<TransportResponse> {
  if (call.verb === "get") return get(call)
  return call.verb === "update" ? update(call, statusUpdate) : patch(call, statusUpdate)
}
