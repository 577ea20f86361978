import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { podFromTemplate } from "../shared/pod-from-template.ts"
import type { Observed } from "./observe.ts"
import { wantedPods } from "./replica-kind.ts"
import { nextAvailability, reportStatus } from "./status.ts"
import { chooseVictims } from "./victims.ts"

/** The most pods one look makes or deletes: a typo of a few zeros does not flood the cluster at once. */
const burst = 500

/** Claims pods, then makes or deletes some; what became of that, and so the status, is for settle. With the right number only the status is left. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { owner, active, claims } = observed
  const built = plan()
  for (const operation of claims) built.operation(operation)
  const waiting = nextAvailability(observed, now)
  if (waiting !== undefined) built.requeueAfter(waiting, "a ready pod becomes available then")
  const missing = wantedPods(owner) - active.length
  if (missing === 0 || owner.metadata.deletionTimestamp !== undefined) return reportStatus(afterClaims(built), observed, now)
  if (missing < 0) return deletePods(afterClaims(built), observed, -missing, now)
  return hasLabels(observed) ? createPods(built, observed, missing) : refusePods(built, observed, now)
}

function createPods(built: PlanBuilder, { owner, kind, active }: Observed, missing: number): Plan {
  const template = owner.spec?.template ?? {}
  const reason = `${active.length} of ${wantedPods(owner)} pods exist`
  built.slowStart()
  for (let made = 0; made < Math.min(missing, burst); made++) built.create(podFromTemplate(template, owner, kind.of), reason)
  return built
}

function deletePods(built: PlanBuilder, { owner, active, related }: Observed, surplus: number, now: number): Plan {
  const reason = `${active.length} pods exist, ${wantedPods(owner)} are wanted`
  for (const pod of chooseVictims(active, related, Math.min(surplus, burst), now)) built.delete(pod, reason)
  return built
}

/** Pods without labels would be nobody's at once, and made again for ever. */
function refusePods(built: PlanBuilder, observed: Observed, now: number): Plan {
  const failure = { reason: "FailedCreate", message: "unable to create pods, no labels" } as const
  return reportStatus(afterClaims(built), observed, now, failure).waitFor("labels in the pod template")
}

function hasLabels({ owner }: Observed): boolean {
  return Object.keys(owner.spec?.template?.metadata?.labels ?? {}).length > 0
}

/** What counts on adopted pods begins when they are adopted. */
function afterClaims(built: PlanBuilder): PlanBuilder {
  return built.steps.length === 0 ? built : built.nextStep()
}
