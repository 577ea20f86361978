import { formatMicroTime } from "@pilothouse/api"
import { messageOf } from "@pilothouse/seams"
import { type PlanLine, planLines } from "../controller/describe-plan.ts"
import { isKubeOperation, type ObjectRef, type Operation, type Plan, type PlannedEvent, type Result } from "../controller/plan/plan.ts"
import type { TraceEntry } from "../controller/trace.ts"

/** A trace entry as JSON, for machines and for people; what Secrets hold is left out. Of a dry run nothing is said to be done. */
export function traceJson({ at, nextAt, plan, settled, results, ...entry }: TraceEntry, dryRun = false): unknown {
  const lines = [plan, settled].flatMap((one) => (one === undefined ? [] : planLines(one, dryRun ? [] : results)))
  const shown = dryRun ? { dryRun: "nothing was sent" } : { results: results.map(resultJson) }
  const next = nextAt === undefined ? {} : { nextAt: formatMicroTime(nextAt) }
  return {
    at: formatMicroTime(at),
    ...entry,
    ...next,
    lines: withFailure(lines, entry.error),
    plan: planJson(plan),
    settled: planJson(settled),
    ...shown,
  }
}

/** A line of /debug/trace. Where a reconcile failed, one or more lines have `tellsFailure`: the error is part of their text. */
export type TraceLine = (PlanLine | { readonly kind: "failure"; readonly text: string }) & { readonly tellsFailure?: true }

/** An error that no line quotes, such as one that observe threw, is a line of its own. */
function withFailure(lines: readonly PlanLine[], error: string | undefined): readonly TraceLine[] {
  if (error === undefined) return lines
  // prose: both are of one reconcile, and it only decides whether the error is printed twice.
  const marked = lines.map((line): TraceLine => (line.text.includes(error) ? { ...line, tellsFailure: true } : line))
  return marked.some(({ tellsFailure }) => tellsFailure) ? marked : [...marked, { kind: "failure", text: error, tellsFailure: true }]
}

/** Field by field: a plan that was built has getters, which JSON does not see. */
function planJson(plan: Plan | undefined): unknown {
  if (plan === undefined) return undefined
  const { steps, events, requeue, waitingFor, summary, stuck } = plan
  const shown = steps.map((step) => ({ ...step, operations: step.operations.map(operationJson) }))
  return { summary, stuck, steps: shown, events: events.map(eventJson), requeue, waitingFor }
}

/** Controllers give the whole object that an event is about, and that may be a Secret. */
function eventJson({ about, related, ...event }: PlannedEvent): unknown {
  return { ...event, about: reference(about), related: related && reference(related) }
}

function reference({ apiVersion, kind, metadata: { namespace, name, uid } }: ObjectRef): unknown {
  return { apiVersion, kind, namespace, name, uid }
}

/** Results are in the order of the plan, which identifies the operation. */
function resultJson(result: Result): unknown {
  const name = result.ok === true ? result.object?.metadata.name : undefined
  return { do: result.operation.do, ok: result.ok, name, error: result.ok === false ? messageOf(result.error) : undefined }
}

function operationJson(operation: Operation): unknown {
  if (!isKubeOperation(operation) || operation.object.kind !== "Secret") return operation
  const { apiVersion, kind, metadata } = operation.object
  // Annotations too: kubectl keeps what was applied in one of them.
  const object = { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace }, data: "(hidden)" }
  return { do: operation.do, reason: operation.reason, object }
}
