import type { TransportResponse } from "@pilothouse/seams"
import { patchObject } from "../objects/patch-object.ts"
import { replaceObject } from "../objects/replace-object.ts"
import type { Updated } from "../objects/update-object.ts"
import { mainUpdate } from "../resources/generic.ts"
import { objectResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"

export async function update(call: Call): Promise<TransportResponse> {
  return updatedResponse(call, await replaceObject(call, mainUpdate))
}

export async function patch(call: Call): Promise<TransportResponse> {
  return updatedResponse(call, await patchObject(call, mainUpdate))
}

function updatedResponse(call: Call, { object, created }: Updated): TransportResponse {
  return objectResponse(call, object, created ? 201 : 200)
}
