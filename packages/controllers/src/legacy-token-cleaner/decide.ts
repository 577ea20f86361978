import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Observed, Token } from "./observe.ts"

const day = 24 * 60 * 60 * 1000
const lastUsed = "kubernetes.io/legacy-token-last-used"
const invalidSince = "kubernetes.io/legacy-token-invalid-since"

/** Labels unused tokens as invalid, deletes those that have been invalid for long enough, and requeues after a day. */
export function decide({ trackedSince, tokens }: Observed, now: number, period: number): Plan {
  const built = plan().requeueAfter(day, "tokens are checked once a day")
  const since = parseDate(trackedSince)
  if (since === undefined) return built.nothing("the API server does not say since when it tracks the use of tokens")
  // The whole of the first day may be missing.
  if (now < since + day + period) return built.nothing(`the use of tokens is tracked since ${trackedSince}, which is not long enough`)
  for (const token of tokens) if (isUnused(token, now - period)) retire(built, token, now, period)
  return built.steps.length === 0 ? built.nothing(`none of ${tokens.length} tokens is unused`) : built
}

/** Reports whether the token was generated for an account, is old, and was used neither by a pod nor by another client. */
function isUnused({ secret, account, isMounted }: Token, before: number): boolean {
  const { name, creationTimestamp, deletionTimestamp, labels = {} } = secret.metadata
  const isOld = creationTimestamp !== undefined && Date.parse(creationTimestamp) < before
  if (!isOld || deletionTimestamp !== undefined || isMounted) return false
  const used = labels[lastUsed]
  // A date that cannot be read may be one of today.
  if (used !== undefined && (parseDate(used) === undefined || used >= formatDate(before))) return false
  return account?.secrets?.some((reference) => reference.name === name) === true
}

function retire(built: PlanBuilder, { secret }: Token, now: number, period: number): void {
  const { uid, resourceVersion, labels = {} } = secret.metadata
  const marked = labels[invalidSince]
  if (parseDate(marked) === undefined) {
    const patch = { metadata: { uid, labels: { [invalidSince]: formatDate(now) } } }
    built.patch(secret, patch, `it was not used since ${labels[lastUsed] ?? "its use is tracked"}`, { type: "merge" })
  } else if (marked! < formatDate(now - period)) {
    const options = { preconditions: { resourceVersion } }
    const reason = `it is invalid since ${marked} and was not used since`
    built.operation({ do: "delete", object: secret, options, tolerate: ["Conflict", "NotFound"], reason })
  }
}

/** Returns midnight of "2026-01-05"; undefined for any other format or an invalid date. */
function parseDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) || formatDate(time) !== text ? undefined : time
}

function formatDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
