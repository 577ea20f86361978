import type { TransportResponse } from "@pilothouse/seams"
import { objectAnswer } from "../answer.ts"
import type { Call } from "../call.ts"
import { createObject } from "../objects/create-object.ts"
import { takeIn } from "../take-in.ts"

export async function create(call: Call): Promise<TransportResponse> {
  return objectAnswer(call, await createObject(call, takeIn(call)), 201)
}
