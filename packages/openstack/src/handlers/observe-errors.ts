import type { KubeObject } from "@pilothouse/api"
import {
  type CustomOperation,
  type DecideContext,
  type Executor,
  executor,
  type HandlerEvent,
  type Plan,
  plan,
  type Result,
} from "@pilothouse/runtime"
import { messageOf, type PilothouseError } from "@pilothouse/seams"

/** A failed read as an operation that fails: so it is reported on the object, traced, and retried with backoff. */
interface Read extends CustomOperation {
  readonly do: "read-cloud" | "read-annotation"
  readonly error: unknown
}

export const observeErrorExecutors: readonly Executor[] = (["read-cloud", "read-annotation"] as const).map((name) =>
  executor<Read>(name, async ({ error }) => {
    throw error
  }),
)

/** An observation, or why there is none. */
export type ObserveResult<Observed> = { readonly observed: Observed } | { readonly observeError: unknown }

/** A deleted object has no events, and a dry run applies nothing, not even what fails: there the error is thrown. */
export async function observeOrError<Observed>(
  { type }: HandlerEvent,
  { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal: AbortSignal },
  observe: () => Promise<Observed>,
): Promise<ObserveResult<Observed>> {
  try {
    return { observed: await observe() }
  } catch (observeError) {
    if (dryRun || signal.aborted || type === "deleted") throw observeError
    return { observeError }
  }
}

/** Decides on what was observed; where nothing was, says on the object what is in the way. */
export function decideIfObserved<T extends KubeObject, Observed>(
  reason: string,
  decide: (event: HandlerEvent<T>, observed: Observed, context: DecideContext) => Plan,
): (event: HandlerEvent<T>, found: ObserveResult<Observed>, context: DecideContext) => Plan {
  return (event, found, context) => {
    if ("observed" in found) return decide(event, found.observed, context)
    const why = `what is known of it is not enough to do anything (${reason})`
    return plan().operation({ do: "read-cloud", to: event.key, reason: why, error: found.observeError } as Read)
  }
}

/** An annotation that cannot be decoded: nothing is done until its writer has corrected it. */
export function unreadableAnnotation({ key }: HandlerEvent, error: PilothouseError): Plan {
  return plan().operation({ do: "read-annotation", to: key, reason: "it says what there is already", error } as Read)
}

/** The event of what could not be read; undefined: all could. */
export function observeErrorEvent({ object }: HandlerEvent, reason: string, results: readonly Result[]): Plan | undefined {
  const failed = results.find(({ ok, operation }) => ok === false && operation.do.startsWith("read-"))
  if (failed?.ok !== false) return undefined
  const message = messageOf(failed.error)
  return plan().event(object, "Warning", reason, failed.operation.do === "read-cloud" ? `the cloud cannot be asked: ${message}` : message)
}
