import type { TransportResponse } from "@pilothouse/seams"
import { currentObject } from "../objects/current-object.ts"
import type { Call } from "../request/call.ts"
import { objectResponse } from "../response/response.ts"

export async function get(call: Call): Promise<TransportResponse> {
  return objectResponse(call, await currentObject(call))
}
