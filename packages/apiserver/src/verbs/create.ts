import type { TransportResponse } from "@pilothouse/seams"
import { takeIn } from "../body/decode-object.ts"
import { createObject } from "../objects/create-object.ts"
import type { Call } from "../request/call.ts"
import { objectAnswer } from "../response/answer.ts"

export async function create(call: Call): Promise<TransportResponse> {
  return objectAnswer(call, await createObject(call, takeIn(call)), 201)
}
