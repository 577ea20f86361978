import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Observed, Token } from "./observe.ts"

const day = 24 * 60 * 60 * 1000
const lastUsed = "kubernetes.io/legacy-token-last-used"
const invalidSince = "kubernetes.io/legacy-token-invalid-since"

/** Labels invalid what nobody uses, deletes what has been invalid for long enough, and looks again tomorrow. */
export function decide({ trackedSince, tokens }: Observed, now: number, period: number): Plan {
  const built = plan().requeueAfter(day, "tokens are looked at once a day")
  const since = dateIn(trackedSince)
  if (since === undefined) return built.nothing("the API server does not say since when it tracks the use of tokens")
  // The whole of the first day may be missing.
  if (now < since + day + period) return built.nothing(`the use of tokens is tracked since ${trackedSince}, which is not long enough`)
  for (const token of tokens) if (isUnused(token, now - period)) retire(built, token, now, period)
  return built.steps.length === 0 ? built.nothing(`none of ${tokens.length} tokens has to go`) : built
}

/** Made for an account as older clusters did, long ago, and used neither by a pod nor by anybody else. */
function isUnused({ secret, account, isMounted }: Token, before: number): boolean {
  const { name, creationTimestamp, deletionTimestamp, labels = {} } = secret.metadata
  const isOld = creationTimestamp !== undefined && Date.parse(creationTimestamp) < before
  if (!isOld || deletionTimestamp !== undefined || isMounted) return false
  const used = labels[lastUsed]
  // A date that cannot be read may be one of today.
  if (used !== undefined && (dateIn(used) === undefined || used >= dateOf(before))) return false
  return account?.secrets?.some((reference) => reference.name === name) === true
}

function retire(built: PlanBuilder, { secret }: Token, now: number, period: number): void {
  const { uid, resourceVersion, labels = {} } = secret.metadata
  const marked = labels[invalidSince]
  if (dateIn(marked) === undefined) {
    const patch = { metadata: { uid, labels: { [invalidSince]: dateOf(now) } } }
    built.patch(secret, patch, `nobody has used it since ${labels[lastUsed] ?? "its use is tracked"}`, { type: "merge" })
  } else if (marked! < dateOf(now - period)) {
    const options = { preconditions: { resourceVersion } }
    const reason = `it is invalid since ${marked}, and nobody has missed it`
    built.operation({ do: "delete", object: secret, options, tolerate: ["Conflict", "NotFound"], reason })
  }
}

/** Midnight of "2026-01-05"; undefined for what is written in another way, or is no day. */
function dateIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) || dateOf(time) !== text ? undefined : time
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
