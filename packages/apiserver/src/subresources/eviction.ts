import {
  badRequest,
  formatTime,
  internalError,
  isPodTerminal,
  type KubeObject,
  matchesLabels,
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
import { answer } from "../answer.ts"
import type { Call } from "../call.ts"
import { type Draft, draftOf } from "../draft.ts"
import { deleteObject } from "../objects/delete-object.ts"
import type { DeleteOptions } from "../objects/delete-options.ts"
import { listPrefix, readObject } from "../objects/key.ts"
import { updateObject } from "../objects/update-object.ts"
import { statusUpdate, type UpdateKind } from "../resources/generic.ts"
import { takeIn } from "../take-in.ts"
import { withDryRun } from "../verbs/delete.ts"

const kind = { group: "policy", version: "v1", kind: "Eviction" }
/** A budget with so many evictions under way is not keeping up. */
const disruptedLimit = 2000
const unchecked: UpdateKind = { prepare() {}, validate: () => [] }

/** A delete that asks the disruption budgets first. */
export async function eviction(given: Call): Promise<TransportResponse> {
  const body = takeIn(given, { kind, schema: schemaOf(kind) }) as Draft<Eviction>
  if (body.metadata.name !== undefined && body.metadata.name !== given.name)
    throw badRequest("name in URL does not match name in Eviction object")
  const options = (body.deleteOptions ?? {}) as DeleteOptions
  const call = withDryRun(given, options)
  const pod = readObject(call.server.storage, call.resource, call.namespace, call.name) as Pod | undefined
  if (pod === undefined) throw notFound(call.resource.descriptor, call.name)
  if (!isUndisturbed(pod)) await allow(call, pod)
  await deleteObject(call, options)
  return answer(call, { ...successStatus(), code: 201 }, 201)
}

/** Evicting what does not serve disturbs nobody. */
function isUndisturbed(pod: Pod): boolean {
  return isPodTerminal(pod) || pod.status?.phase === "Pending" || pod.metadata.deletionTimestamp !== undefined
}

async function allow(call: Call, pod: Pod): Promise<void> {
  const budgets = budgetsOf(call, pod)
  if (budgets.length > 1)
    throw internalError("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
  const [budget] = budgets
  if (budget !== undefined) await spend(call, budget)
  await markDisrupted(call)
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
  const next = (current: KubeObject) => spent(call, current as PodDisruptionBudget)
  await updateObject({ ...call, resource, name, subresource: "status", warnings: new Set() }, { kind: statusUpdate, again: true, next })
}

function spent(call: Call, budget: PodDisruptionBudget): Draft<KubeObject> {
  refuseOverdrawn(budget)
  const draft = draftOf(budget)
  const status = draft.status
  if (status === undefined) return draft
  status.disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1
  status.disruptedPods = { ...status.disruptedPods, [call.name]: formatTime(call.server.clock.now()) }
  return draft
}

function refuseOverdrawn({ metadata, status }: PodDisruptionBudget): void {
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {}, desiredHealthy = 0, currentHealthy = 0 } = status ?? {}
  if (observedGeneration < (metadata.generation ?? 0)) {
    throw refusal(`The disruption budget ${metadata.name} is still being processed by the server.`, 10)
  }
  if (disruptionsAllowed < 0) throw refusal("pdb disruptions allowed is negative", 0)
  if (Object.keys(disruptedPods).length > disruptedLimit) {
    throw refusal("DisruptedPods map too big - too many evictions not confirmed by PDB controller", 0)
  }
  if (disruptionsAllowed > 0) return
  throw refusal(`The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`, 0)
}

function refusal(why: string, retryAfterSeconds: number): StatusError {
  const { status } = tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfterSeconds)
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason: "DisruptionBudget", message: why }] } })
}

async function markDisrupted(call: Call): Promise<void> {
  const { clock } = call.server
  const condition = {
    type: "DisruptionTarget",
    status: "True" as const,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  }
  const next = (current: KubeObject): Draft<KubeObject> => {
    const pod = current as Pod
    const draft = draftOf(pod)
    draft.status = { ...draft.status, conditions: [...setCondition(pod.status?.conditions ?? [], condition, clock.now())].map(draftOf) }
    return draft
  }
  await updateObject(call, { kind: unchecked, again: true, next })
}
