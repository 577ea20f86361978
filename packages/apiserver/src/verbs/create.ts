import type { TransportResponse } from "@pilothouse/seams"
import { decodeBody } from "../body/decode-object.ts"
import { createObject } from "../objects/create-object.ts"
import type { Call } from "../request/call.ts"
import { objectResponse } from "../response/response.ts"

export async function create(call: Call): Promise<TransportResponse> {
  return objectResponse(call, await createObject(call, decodeBody(call)), 201)
}
