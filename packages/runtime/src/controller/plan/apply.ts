import { isConflict, isNotFound, reasonOf, type StatusReason } from "@pilothouse/api"
import { abortable, messageOf } from "@pilothouse/seams"
import { type ExecuteContext, execute } from "./execute.ts"
import { type Executor, findExecutor } from "./executor.ts"
import { isKubeOperation, isRememberOperation, type KubeOperation, type Operation, type Result, type Step } from "./plan.ts"

export interface ApplyContext extends ExecuteContext {
  readonly executors: readonly Executor[]
  /** Operations on other things than Kubernetes objects are not carried out, and count as success. What is only remembered is remembered all the same. */
  readonly dryRun: boolean
}

/** Carries out the steps of a plan in order. Never throws for what a server refused: that is a result. */
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
    // 0, 1, 3, 7 … are done: the next batch is one larger than all before it.
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
    // A transport or an executor that does not heed its signal must not hold the key for ever.
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

/** Whether the refusal says that there is nothing left to do. */
function isTolerated(operation: KubeOperation, error: unknown): boolean {
  if (operation.tolerate?.includes(reasonOf(error) as StatusReason)) return true
  if (operation.do === "evict") return isNotFound(error)
  return operation.do === "delete" && (isNotFound(error) || (isPreconditionFailure(error) && hasOnlyUidPrecondition(operation)))
}

/** Two ways to say it, both upstream's. Other conflicts (a webhook may answer with any code) leave the object where it is. */
function isPreconditionFailure(error: unknown): boolean {
  return isConflict(error) && /precondition/i.test(messageOf(error))
}

/** Then another object stands under the name: the one that was to go is gone. */
function hasOnlyUidPrecondition({ object, options }: KubeOperation & { do: "delete" }): boolean {
  const { uid, resourceVersion } = options?.preconditions ?? { uid: object.metadata.uid }
  return uid !== undefined && resourceVersion === undefined
}

function skipped(operation: Operation): Result {
  return { operation, ok: "skipped" }
}
