import { isConflict, isNotFound, reasonOf, type StatusReason } from "@pilothouse/api"
import { abortable, messageOf } from "@pilothouse/seams"
import { type ExecuteContext, execute } from "./execute.ts"
import { type Executor, findExecutor } from "./executor.ts"
import { isKubeOperation, isRememberOperation, type KubeOperation, type Operation, type Result, type Step } from "./plan.ts"

/** What the operations of a plan are executed with. */
export interface ApplyContext extends ExecuteContext {
  readonly executors: readonly Executor[]
  /** Custom operations are not executed and count as success; remember operations are executed. */
  readonly dryRun: boolean
}

/** Executes the steps of a plan in order. Never throws for a refusal of the server: that is a result. */
export async function applySteps(steps: readonly Step[], context: ApplyContext, signal: AbortSignal): Promise<readonly Result[]> {
  const results: Result[] = []
  let stopped = false
  for (const step of steps) {
    const done = stopped ? step.operations.map(skipped) : await applyStep(step, context, signal)
    for (const result of done) results.push(result)
    if (step.onFailure !== "continue" && done.some((result) => result.ok !== true)) stopped = true
  }
  return results
}

async function applyStep({ operations, slowStart }: Step, context: ApplyContext, signal: AbortSignal): Promise<readonly Result[]> {
  const results: Result[] = []
  while (results.length < operations.length) {
    // As upstream's slowStartBatch: after 0, 1, 3, 7 … operations the next batch is one larger than all before it together.
    const batch = slowStart ? operations.slice(results.length, 2 * results.length + 1) : operations
    const part = await Promise.all(batch.map((operation) => applyOperation(operation, context, signal)))
    for (const result of part) results.push(result)
    if (part.some((result) => result.ok !== true)) return [...results, ...operations.slice(results.length).map(skipped)]
  }
  return results
}

async function applyOperation(operation: Operation, context: ApplyContext, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) return skipped(operation)
  try {
    // A transport or an executor that ignores its signal must not block the key.
    if (isKubeOperation(operation)) return { operation, ok: true, object: await abortable(execute(operation, context, signal), signal) }
    const found = findExecutor(operation, context.executors)
    const isSkipped = context.dryRun && !isRememberOperation(operation)
    return { operation, ok: true, value: isSkipped ? undefined : await abortable(found.execute(operation, signal), signal) }
  } catch (error) {
    if (!isKubeOperation(operation) || !isTolerated(operation, error)) return { operation, ok: false, error }
    return isConflict(error) && operation.tolerate?.includes("Conflict")
      ? { operation, ok: true, overtaken: true }
      : { operation, ok: true }
  }
}

/** Reports whether the refusal means that the goal of the operation is reached. */
function isTolerated(operation: KubeOperation, error: unknown): boolean {
  if (operation.tolerate?.includes(reasonOf(error) as StatusReason)) return true
  if (operation.do === "evict") return isNotFound(error)
  return operation.do === "delete" && (isNotFound(error) || (isPreconditionFailure(error) && hasOnlyUidPrecondition(operation)))
}

/** Upstream has two messages for it. Other conflicts (a webhook may answer with any code) leave the object in place. */
function isPreconditionFailure(error: unknown): boolean {
  return isConflict(error) && /precondition/i.test(messageOf(error))
}

/** A uid precondition that fails means that the name belongs to another object: the one to delete is gone. */
function hasOnlyUidPrecondition({ object, options }: KubeOperation & { do: "delete" }): boolean {
  const { uid, resourceVersion } = options?.preconditions ?? { uid: object.metadata.uid }
  return uid !== undefined && resourceVersion === undefined
}

function skipped(operation: Operation): Result {
  return { operation, ok: "skipped" }
}
