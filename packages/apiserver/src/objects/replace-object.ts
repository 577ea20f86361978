import { badRequest, type KubeObject } from "@pilothouse/api"
import { type Draft, draftOf } from "../body/draft.ts"
import { shareVariantForms } from "../body/variant-forms.ts"
import { isWhole, mainUpdate, type UpdateKind } from "../resources/generic.ts"
import type { Call } from "../server/call.ts"
import { decodeBody } from "./decode-object.ts"
import { type Updated, updateObject } from "./update-object.ts"

/** Replaces a stored object by the body of a request; kinds that allow it are created so too. */
export async function replaceObject(call: Call, kind: UpdateKind): Promise<Updated> {
  const body = decodeBody(call)
  // A subresource of a namespace or a scale may leave its name to the path; the object itself may not.
  if (kind === mainUpdate && (body.metadata.name ?? "") === "") {
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`)
  }
  // The body is copied for each try: preparing it changes it.
  const copy = () => shareVariantForms(draftOf(body) as Draft<KubeObject>, body)
  const fresh = call.resource.createOnUpdate && isWhole(kind) ? () => ({ draft: toCreate(call, copy()) }) : undefined
  const conditional = (body.metadata.resourceVersion ?? "0") !== "0"
  const next = () => ({ draft: copy(), given: call.body })
  return updateObject(call, { kind, fresh, again: !conditional, next })
}

function toCreate(call: Call, body: Draft<KubeObject>): Draft<KubeObject> {
  body.metadata.name ??= call.name
  delete body.metadata.resourceVersion
  return body
}
