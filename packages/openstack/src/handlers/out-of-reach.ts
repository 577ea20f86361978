import type { KubeObject } from "@pilothouse/api"
import { type CustomOperation, executor, type HandlerEvent, type Plan, plan } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"

/** What had to be known of the cloud could not be read. An operation that fails: so it is told on the object, traced, and tried again as failures are. */
interface ReadCloud extends CustomOperation {
  readonly do: "read-cloud"
  readonly error: unknown
}

export const outOfReach = executor<ReadCloud>("read-cloud", async ({ error }) => {
  throw error
})

/** An observation, or why there is none. */
export type Reached<Observed> = { readonly observed: Observed } | { readonly unread: unknown }

/** Nobody looks at an object that is gone, and in a dry run nothing is carried out, not even what fails: there the error has to do. */
export async function reached<Observed>(
  { type }: HandlerEvent,
  { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal: AbortSignal },
  observe: () => Promise<Observed>,
): Promise<Reached<Observed>> {
  try {
    return { observed: await observe() }
  } catch (unread) {
    if (dryRun || signal.aborted || type === "deleted") throw unread
    return { unread }
  }
}

/** Decides on what was observed; where nothing was, says on the object what is in the way. */
export function unlessUnread<T extends KubeObject, Observed>(
  reason: string,
  decide: (event: HandlerEvent<T>, observed: Observed) => Plan,
): (event: HandlerEvent<T>, found: Reached<Observed>) => Plan {
  return (event, found) => {
    if ("observed" in found) return decide(event, found.observed)
    const because = `what is known of it is not enough to do anything (${reason})`
    return plan().operation({ do: "read-cloud", to: event.key, because, error: found.unread } as ReadCloud)
  }
}

/** The event of an observation that failed. */
export function tellUnread({ object }: HandlerEvent, reason: string, { unread }: { readonly unread: unknown }): Plan {
  return plan().event(object, "Warning", reason, `the cloud cannot be asked: ${messageOf(unread)}`)
}
