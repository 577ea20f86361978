import type { ObjectReference } from "@pilothouse/api/core/v1"
import { type DecideContext, type ObjectRef, type Plan, plan } from "@pilothouse/runtime"
import { courseOf } from "./course.ts"
import type { Observed } from "./observe.ts"

/** The pods of a Job go after it. */
const background = { propagationPolicy: "Background" } as const

/** Trims the history and starts the run that is due. The status, with the new Job in it, and what people are told are for settle. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { trim, replace, create, again, reason, stuck = false } = courseOf(observed, now)
  const built = plan()
  for (const job of trim) built.delete(job, "it has ended, and the history keeps no more", background)
  // A Job of the past that cannot be deleted keeps no run from starting.
  if (trim.length > 0) built.nextStep({ onFailure: "continue" })
  for (const job of replace) built.delete(refOf(job), "another run starts, and the concurrency policy is Replace", background)
  if (create !== undefined) {
    if (replace.length > 0) built.nextStep()
    // The Job of this minute is somebody else's, or one of ours that the cache does not show yet: the next look will see.
    built.operation({ do: "create", object: create, reason, tolerate: ["AlreadyExists"] })
  }
  if (again !== undefined) built.requeueAfter(again, "the next run is due then")
  // It is settle that warns people; a run that was missed is not the last.
  return built.steps.length === 0 ? built.nothing(reason, { stuck: stuck && again === undefined }) : built
}

function refOf({ namespace, name, uid }: ObjectReference): ObjectRef {
  return { apiVersion: "batch/v1", kind: "Job", metadata: { namespace, name, uid } }
}
