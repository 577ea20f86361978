import { badRequest, type KubeObject } from "@pilothouse/api"
import type { TransportResponse } from "@pilothouse/seams"
import { decodeBody } from "../body/decode-object.ts"
import { type Draft, draftOf } from "../body/draft.ts"
import { updateObject } from "../objects/update-object.ts"
import type { Call } from "../request/call.ts"
import { mainUpdate, type UpdateKind } from "../resources/generic.ts"
import { objectResponse } from "../response/response.ts"

export async function update(call: Call, kind: UpdateKind = mainUpdate): Promise<TransportResponse> {
  const body = decodeBody(call)
  // A subresource of a namespace or a scale may leave its name to the path; the object itself may not.
  if (kind === mainUpdate && (body.metadata.name ?? "") === "") {
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`)
  }
  const fresh = call.resource.createOnUpdate && kind === mainUpdate ? () => ({ draft: toCreate(call, body) }) : undefined
  // The body is copied for each try: preparing it changes it.
  const conditional = (body.metadata.resourceVersion ?? "0") !== "0"
  const next = () => draftOf(body) as Draft<KubeObject>
  const { object, created } = await updateObject(call, { kind, fresh, again: !conditional, next, given: () => call.body })
  return objectResponse(call, object, created ? 201 : 200)
}

function toCreate(call: Call, body: Draft<KubeObject>): Draft<KubeObject> {
  body.metadata.name ??= call.name
  delete body.metadata.resourceVersion
  return body
}
