import type { TransportResponse } from "@pilothouse/seams"
import { objectAnswer } from "../response/answer.ts"
import type { Call } from "../request/call.ts"
import { createObject } from "../objects/create-object.ts"
import { takeIn } from "../body/decode-object.ts"

export async function create(call: Call): Promise<TransportResponse> {
  return objectAnswer(call, await createObject(call, takeIn(call)), 201)
}
