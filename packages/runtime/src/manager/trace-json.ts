import { formatMicroTime } from "@pilothouse/api"
import { messageOf } from "@pilothouse/seams"
import { describePlan } from "../controller/describe-plan.ts"
import { isKubeOperation, type Operation, type Plan, type Result } from "../controller/plan.ts"
import type { TraceEntry } from "../controller/trace.ts"

/** A trace entry as JSON, for machines and for people; what Secrets hold is left out. */
export function traceJson({ at, plan, settled, results, ...entry }: TraceEntry): unknown {
  const words = [plan, settled].flatMap((one) => (one === undefined ? [] : describePlan(one, results)))
  return { at: formatMicroTime(at), ...entry, words, plan: planJson(plan), settled: planJson(settled), results: results.map(resultJson) }
}

/** Field by field: a plan that was built has getters, which JSON does not see. */
function planJson(plan: Plan | undefined): unknown {
  if (plan === undefined) return undefined
  const { steps, events, again, waitingFor, summary } = plan
  const shown = steps.map((step) => ({ ...step, operations: step.operations.map(operationJson) }))
  return { summary, steps: shown, events, again, waitingFor }
}

/** Which operation it was is told by its place: results stand in the order of the plan. */
function resultJson(result: Result): unknown {
  const name = result.ok === true ? result.object?.metadata.name : undefined
  return { do: result.operation.do, ok: result.ok, name, error: result.ok === false ? messageOf(result.error) : undefined }
}

function operationJson(operation: Operation): unknown {
  if (!isKubeOperation(operation) || operation.object.kind !== "Secret") return operation
  const { apiVersion, kind, metadata } = operation.object
  // Annotations too: kubectl keeps what was applied in one of them.
  const object = { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace }, data: "(hidden)" }
  return { do: operation.do, because: operation.because, object }
}
