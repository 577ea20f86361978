import {
  badRequest,
  findCondition,
  forbidden,
  formatTime,
  internalError,
  isConflict,
  isEvictionUndisturbing,
  type KubeObject,
  matchesLabels,
  needsBudget,
  notFound,
  StatusError,
  selectorOf,
  setCondition,
  successStatus,
  tooManyRequests,
} from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type Eviction, type PodDisruptionBudget, podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { schemaOf } from "@pilothouse/api/schemas"
import type { TransportResponse } from "@pilothouse/seams"
import { type Draft, draftOf } from "../body/draft.ts"
import { managedFieldsOf } from "../managedfields/object-managed-fields.ts"
import { admitRequest, withoutAdmission } from "../objects/admit-request.ts"
import { decodeBody } from "../objects/decode-object.ts"
import { checkPreconditions, deleteObject, withDryRun } from "../objects/delete-object.ts"
import { updateObject } from "../objects/update-object.ts"
import { listPrefix, readObject } from "../registry/object-key.ts"
import type { DeleteOptions } from "../request/delete-options.ts"
import { statusUpdate, type UpdateKind } from "../resources/generic.ts"
import { valueResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import { ownHeaders } from "../server/own-write.ts"

/** A budget with so many evictions under way is not keeping up. */
const disruptedLimit = 2000

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
  const next = (current: KubeObject) => {
    checkPreconditions(call, options, current)
    const pod = current as Pod
    const draft = draftOf(pod)
    draft.status = { ...draft.status, conditions: [...setCondition(pod.status?.conditions ?? [], condition, clock.now())].map(draftOf) }
    return { draft: draft as Draft<KubeObject>, managedFields: managedFieldsOf(current) }
  }
  const { object } = await updateObject(call, { kind: unchecked, again: true, next })
  return object
}

/** The one budget that guards a pod. */
function budgetOf(call: Call, pod: Pod): PodDisruptionBudget | undefined {
  const budgets = budgetsOf(call, pod)
  if (budgets.length > 1)
    throw internalError("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
  return budgets[0]
}

function budgetsOf({ server, namespace }: Call, pod: Pod): readonly PodDisruptionBudget[] {
  const resource = server.registry.served(podDisruptionBudgets)
  const { items } = server.storage.list(listPrefix(resource, namespace))
  return items
    .map(({ value }) => value as PodDisruptionBudget)
    .filter(({ spec }) => spec?.selector !== undefined && matchesLabels(selectorOf(spec.selector), pod.metadata.labels))
}

/** Takes one of the allowed disruptions; the disruption controller gives it back when the pod is gone. */
async function spend(call: Call, budget: PodDisruptionBudget): Promise<void> {
  const resource = call.server.registry.served(podDisruptionBudgets)
  const name = budget.metadata.name ?? ""
  const next = (current: KubeObject) => ({ draft: spent(call, current as PodDisruptionBudget) })
  // Upstream's server updates the budget as a client of its own API.
  const own: Call = { ...call, resource, name, subresource: "status", query: {}, headers: ownHeaders, warnings: new Set() }
  await updateObject(own, { kind: statusUpdate, again: true, next })
}

function spent(call: Call, budget: PodDisruptionBudget): Draft<KubeObject> {
  refuseOverdrawn(budget)
  const draft = draftOf(budget)
  const status = draft.status
  if (status === undefined) return draft
  const now = call.server.clock.now()
  const left = (status.disruptionsAllowed ?? 0) - 1
  status.disruptionsAllowed = left
  if (left === 0) status.conditions = [...setCondition(budget.status?.conditions, exhausted(budget), now)].map(draftOf)
  status.disruptedPods = { ...status.disruptedPods, [call.name]: formatTime(now) }
  return draft
}

const allowedCondition = "DisruptionAllowed"

function exhausted({ status }: PodDisruptionBudget) {
  const observedGeneration = status?.observedGeneration
  const seen = observedGeneration === undefined ? {} : { observedGeneration }
  return { type: allowedCondition, status: "False" as const, reason: "InsufficientPods", message: "", ...seen }
}

function refuseOverdrawn({ metadata, status }: PodDisruptionBudget): void {
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status ?? {}
  const name = metadata.name ?? ""
  if (observedGeneration < (metadata.generation ?? 0)) throw stillProcessed(name)
  if (disruptionsAllowed < 0) throw forbidden(refusedAs, name, "pdb disruptions allowed is negative")
  if (Object.keys(disruptedPods).length > disruptedLimit) {
    throw forbidden(refusedAs, name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller")
  }
  if (disruptionsAllowed === 0) throw refusal(`The disruption budget ${name} ${whyExhausted(status)}`, 0)
}

/** Upstream names the kind here, not the resource. */
const refusedAs = { group: "policy", plural: "poddisruptionbudget" }

/** The numbers are not to be trusted where the controller could not count. */
function whyExhausted({ conditions, desiredHealthy = 0, currentHealthy = 0 }: NonNullable<PodDisruptionBudget["status"]> = {}): string {
  const condition = findCondition(conditions, allowedCondition)
  const { reason, message = "" } = condition?.status === "False" ? condition : {}
  if (message !== "" && reason === "SyncFailed") return `does not allow evicting pods currently because it failed sync: ${message}`
  if (currentHealthy <= desiredHealthy) return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  return `does not allow evicting pods currently${message === "" ? "" : ` (${reason}): ${message}`}`
}

/** Asks to come again. */
function stillProcessed(budget = ""): StatusError {
  return refusal(`The disruption budget ${budget} is still being processed by the server.`, 10)
}

function refusal(why: string, retryAfterSeconds: number): StatusError {
  const { status } = tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfterSeconds)
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason: "DisruptionBudget", message: why }] } })
}
