import type { TransportResponse } from "@pilothouse/seams"
import { createObject } from "../objects/create-object.ts"
import { decodeBody } from "../objects/decode-object.ts"
import { objectResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"

export async function create(call: Call): Promise<TransportResponse> {
  return objectResponse(call, await createObject(call, decodeBody(call)), 201)
}
