import { formatTime, internalError, type KubeObject, matchesLabels, StatusError, selectorOf, tooManyRequests } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type PodDisruptionBudget, podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { type Draft, draftOf } from "../body/draft.ts"
import { managedFieldsOf } from "../managedfields/object-managed-fields.ts"
import { updateObject } from "../objects/update-object.ts"
import { listPrefix } from "../registry/object-key.ts"
import { statusUpdate } from "../resources/generic.ts"
import type { Call } from "../server/call.ts"

/** A budget with so many evictions under way is not keeping up. */
const disruptedLimit = 2000

/** The one budget that guards a pod. */
export function budgetOf(call: Call, pod: Pod): PodDisruptionBudget | undefined {
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
export async function spend(call: Call, budget: PodDisruptionBudget): Promise<void> {
  const resource = call.server.registry.served(podDisruptionBudgets)
  const name = budget.metadata.name ?? ""
  const next = (current: KubeObject) => spent(call, current as PodDisruptionBudget)
  await updateObject(
    { ...call, resource, name, subresource: "status", warnings: new Set() },
    { kind: statusUpdate, again: true, next, managedFields: managedFieldsOf },
  )
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
  if (observedGeneration < (metadata.generation ?? 0)) throw stillProcessed(metadata.name)
  if (disruptionsAllowed < 0) throw refusal("pdb disruptions allowed is negative", 0)
  if (Object.keys(disruptedPods).length > disruptedLimit) {
    throw refusal("DisruptedPods map too big - too many evictions not confirmed by PDB controller", 0)
  }
  if (disruptionsAllowed > 0) return
  throw refusal(`The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`, 0)
}

/** Asks to come again. */
export function stillProcessed(budget = ""): StatusError {
  return refusal(`The disruption budget ${budget} is still being processed by the server.`, 10)
}

function refusal(why: string, retryAfterSeconds: number): StatusError {
  const { status } = tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfterSeconds)
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason: "DisruptionBudget", message: why }] } })
}
