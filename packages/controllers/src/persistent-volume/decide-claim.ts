import { type KubeOperation, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Duration } from "@pilothouse/seams"
import { bind } from "./bind.ts"
import { type ClaimAction, nextClaimAction } from "./claim-action.ts"
import { statusWrite, unboundStatus } from "./claim-status.ts"
import type { ObservedClaim } from "./observe-claim.ts"

/** An update that gives a claim the default class: it is counted. */
type AssignClass = KubeOperation & { readonly assigns: "class" }

/** Upstream's syncClaim: binds the claim, or reports what it waits for. The provisioner creates missing volumes. */
export function decideClaim(observed: ObservedClaim, syncPeriod: Duration): Plan {
  const { claim } = observed
  const action = nextClaimAction(observed)
  const built = plan()
  switch (action.do) {
    case "bind":
      bind(built, action.volume, claim)
      return built.steps.length > 0 ? built : built.nothing(`it has ${action.volume.metadata.name}`)
    case "lose":
      return lose(built, observed, action)
    case "classify": {
      const { name } = action.class.metadata
      const object = { ...claim, spec: { ...claim.spec, storageClassName: name } }
      const update: AssignClass = { do: "update", object, reason: `${name} is the default class now`, assigns: "class" }
      return built.operation(update)
    }
    case "provision":
      // The provisioner reports whether and how.
      return built.waitFor("a volume that fits, provisioned or created manually").nothing("no existing volume fits it")
    case "wait":
      return wait(built, observed, action, syncPeriod)
  }
}

/** Marks the claim as Lost; the event is recorded once. */
function lose(built: PlanBuilder, { claim }: ObservedClaim, { event }: ClaimAction & { do: "lose" }): Plan {
  if (claim.status?.phase === "Lost") return built.nothing(event.message, { stuck: true })
  return built.status(claim, unboundStatus(claim, "Lost"), event.message).event(claim, event.type, event.reason, event.message)
}

/** Repeats the event while the claim waits: events expire after an hour. */
function wait(built: PlanBuilder, { claim }: ObservedClaim, action: ClaimAction & { do: "wait" }, syncPeriod: Duration): Plan {
  const { event, keepPhase } = action
  const status = keepPhase ? undefined : statusWrite(claim, unboundStatus(claim, "Pending"), `it waits for ${action.for}`)
  if (status !== undefined) built.operation(status)
  if (event !== undefined) {
    built.event(claim, event.type, event.reason, event.message).requeueAfter(syncPeriod, "the event is repeated while it lasts")
  }
  return built.waitFor(action.for).nothing(event?.message ?? `it waits for ${action.for}`, { stuck: event?.type === "Warning" })
}
