import type { TransportResponse } from "@pilothouse/seams"
import { currentObject } from "../objects/current-object.ts"
import { objectResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"

export async function get(call: Call): Promise<TransportResponse> {
  return objectResponse(call, await currentObject(call))
}
