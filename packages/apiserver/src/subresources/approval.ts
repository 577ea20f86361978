import { type FieldError, fieldError, formatTime, type KubeObject } from "@pilothouse/api"
import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import type { TransportResponse } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import { keep, type UpdateKind } from "../resources/generic.ts"
import type { Call } from "../server/call.ts"
import { objectEndpoint } from "./status.ts"

type Condition = NonNullable<NonNullable<CertificateSigningRequest["status"]>["conditions"]>[number]

/** Only the conditions of the status change: the spec stays as the approver has seen it. */
const approvalUpdate: UpdateKind = {
  prepare(_resource, draft, old, { clock }) {
    const request = draft as Draft<CertificateSigningRequest>
    const conditions = request.status?.conditions
    for (const key of new Set([...Object.keys(draft), ...Object.keys(old)])) if (key !== "metadata") keep(draft, old, key)
    request.status = { ...request.status }
    if (conditions === undefined) delete request.status.conditions
    else request.status.conditions = conditions.map((one) => dated(one, formatTime(clock.now())))
  },
  validate: (_resource, object: KubeObject, old: KubeObject) => decisionErrors(conditionsOf(object), conditionsOf(old)),
}

/** Yes or no to a request for a certificate; said once. */
export function approval(call: Call): Promise<TransportResponse> {
  return objectEndpoint(call, approvalUpdate)
}

function conditionsOf(object: KubeObject): readonly Condition[] {
  return (object as CertificateSigningRequest).status?.conditions ?? []
}

function dated(condition: Draft<Condition>, now: string): Draft<Condition> {
  return {
    ...condition,
    status: condition.status ?? "True",
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? now,
  }
}

const decisions: readonly string[] = ["Approved", "Denied"]

function decisionErrors(conditions: readonly Condition[], old: readonly Condition[]): readonly FieldError[] {
  const field = "status.conditions"
  const said = decisions.filter((type) => conditions.some((condition) => condition.type === type))
  const withdrawn = decisions.filter((type) => !said.includes(type) && old.some((condition) => condition.type === type))
  return [
    ...(said.length > 1 ? [fieldError.invalid(field, "Denied", "Approved and Denied conditions are mutually exclusive")] : []),
    ...withdrawn.map((type) => fieldError.forbidden(field, `updates may not remove a condition of type "${type}"`)),
  ]
}
