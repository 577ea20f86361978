import {
  badRequest,
  isConflict,
  isEvictionUndisturbing,
  type KubeObject,
  needsBudget,
  notFound,
  setCondition,
  successStatus,
} from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Eviction } from "@pilothouse/api/policy/v1"
import { schemaOf } from "@pilothouse/api/schemas"
import type { TransportResponse } from "@pilothouse/seams"
import { type Draft, draftOf } from "../body/draft.ts"
import { managedFieldsOf } from "../managedfields/object-managed-fields.ts"
import { admitRequest, withoutAdmission } from "../objects/admit-request.ts"
import { decodeBody } from "../objects/decode-object.ts"
import { checkPreconditions, deleteObject } from "../objects/delete-object.ts"
import { updateObject } from "../objects/update-object.ts"
import { readObject } from "../registry/object-key.ts"
import type { DeleteOptions } from "../request/delete-options.ts"
import type { UpdateKind } from "../resources/generic.ts"
import { valueResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import { withDryRun } from "../verbs/delete.ts"
import { budgetOf, spend, stillProcessed } from "./disruption-budget.ts"

const kind = { group: "policy", version: "v1", kind: "Eviction" }
const unchecked: UpdateKind = { prepare() {}, validate: () => [] }

/** A delete that asks the disruption budgets first. */
export async function eviction(given: Call): Promise<TransportResponse> {
  const body = decodeBody(given, { kind, schema: schemaOf(kind) }) as Draft<Eviction>
  if (body.metadata.name !== undefined && body.metadata.name !== given.name)
    throw badRequest("name in URL does not match name in Eviction object")
  const dryRun = withDryRun(given, (body.deleteOptions ?? {}) as DeleteOptions)
  await admitRequest(dryRun, "CREATE", kind, body)
  const options = (body.deleteOptions ?? {}) as DeleteOptions
  const call = withoutAdmission(dryRun)
  const pod = readObject(call.server.storage, call.resource, call.namespace, call.name) as Pod | undefined
  if (pod === undefined) throw notFound(call.resource.descriptor, call.name)
  // A refused eviction spends nothing of a budget.
  checkPreconditions(call, options, pod)
  // What was decided for this pod is done to no other of its name.
  const pinned = withPreconditions(options, { uid: pod.metadata.uid })
  if (isEvictionUndisturbing(pod)) await deleteObject(call, pinned)
  else await disturb(call, pod, pinned)
  return valueResponse(call, { ...successStatus(), code: 201 }, 201)
}

function withPreconditions(options: DeleteOptions, more: DeleteOptions["preconditions"]): DeleteOptions {
  return { ...options, preconditions: { ...options.preconditions, ...more } }
}

async function disturb(call: Call, pod: Pod, options: DeleteOptions): Promise<void> {
  const budget = budgetOf(call, pod)
  if (budget === undefined) return markAndDelete(call, options)
  if (needsBudget(pod, budget)) {
    await spend(call, budget)
    return markAndDelete(call, options)
  }
  try {
    await markAndDelete(call, withPreconditions(options, { resourceVersion: pod.metadata.resourceVersion }))
  } catch (error) {
    // It may have become ready in the meantime; a client that named a version itself has to look.
    const ours = options.preconditions?.resourceVersion === undefined
    throw ours && isConflict(error) ? stillProcessed(budget.metadata.name) : error
  }
}

async function markAndDelete(call: Call, options: DeleteOptions): Promise<void> {
  const { resourceVersion } = (await markDisrupted(call, options)).metadata
  // The mark is ours: it is no change that a precondition speaks of.
  await deleteObject(call, options.preconditions?.resourceVersion === undefined ? options : withPreconditions(options, { resourceVersion }))
}

async function markDisrupted(call: Call, options: DeleteOptions): Promise<KubeObject> {
  const { clock } = call.server
  const condition = {
    type: "DisruptionTarget",
    status: "True" as const,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  }
  const next = (current: KubeObject): Draft<KubeObject> => {
    checkPreconditions(call, options, current)
    const pod = current as Pod
    const draft = draftOf(pod)
    draft.status = { ...draft.status, conditions: [...setCondition(pod.status?.conditions ?? [], condition, clock.now())].map(draftOf) }
    return draft
  }
  const { object } = await updateObject(call, { kind: unchecked, again: true, next, managedFields: managedFieldsOf })
  return object
}
