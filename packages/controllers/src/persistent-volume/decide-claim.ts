import { type KubeOperation, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Duration } from "@pilothouse/seams"
import { bind } from "./bind.ts"
import { type Course, courseOf } from "./claim-action.ts"
import { statusWrite, unboundStatus } from "./claim-status.ts"
import type { ObservedClaim } from "./observe-claim.ts"

/** An update that gives a claim the default class: it is counted. */
type AssignClass = KubeOperation & { readonly assigns: "class" }

/** Binds the claim, or says what it waits for. Volumes that have to be made are the provisioner's. */
export function decideClaim(observed: ObservedClaim, syncPeriod: Duration): Plan {
  const { claim } = observed
  const course = courseOf(observed)
  const built = plan()
  switch (course.do) {
    case "bind":
      bind(built, course.volume, claim)
      return built.steps.length > 0 ? built : built.nothing(`it has ${course.volume.metadata.name}`)
    case "lose":
      return lose(built, observed, course)
    case "classify": {
      const { name } = course.class.metadata
      const object = { ...claim, spec: { ...claim.spec, storageClassName: name } }
      const update: AssignClass = { do: "update", object, reason: `${name} is the default class now`, assigns: "class" }
      return built.operation(update)
    }
    case "provision":
      // Whether, and by whom, is for the provisioner to say.
      return built.waitFor("a volume that fits, made by the provisioner or by hand").nothing("no volume that is there fits it")
    case "wait":
      return wait(built, observed, course, syncPeriod)
  }
}

/** Told once, when it happens. */
function lose(built: PlanBuilder, { claim }: ObservedClaim, { event }: Course & { do: "lose" }): Plan {
  if (claim.status?.phase === "Lost") return built.nothing(event.message, { stuck: true })
  return built.status(claim, unboundStatus(claim, "Lost"), event.message).event(claim, event.type, event.reason, event.message)
}

/** Told again and again, as long as it lasts: people look at events of the last hour. */
function wait(built: PlanBuilder, { claim }: ObservedClaim, course: Course & { do: "wait" }, syncPeriod: Duration): Plan {
  const { event, keepPhase } = course
  const status = keepPhase ? undefined : statusWrite(claim, unboundStatus(claim, "Pending"), `it waits for ${course.for}`)
  if (status !== undefined) built.operation(status)
  if (event !== undefined) {
    built.event(claim, event.type, event.reason, event.message).requeueAfter(syncPeriod, "people should know as long as it lasts")
  }
  return built.waitFor(course.for).nothing(event?.message ?? `it waits for ${course.for}`, { stuck: event?.type === "Warning" })
}
