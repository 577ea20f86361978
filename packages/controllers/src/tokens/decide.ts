import { generatedName, keyOf } from "@pilothouse/api"
import type { Secret, ServiceAccount } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, plan, type Result } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import { generatedPrefix, missingData, nameAnnotation, referencedNames, type TokenSeams, tokenType, uidAnnotation } from "./token-secret.ts"

/** Decides about a token Secret, about the reference to one that is gone, or about the account that lacks one. */
export function decide(observed: Observed, { random }: Pick<DecideContext, "random">, seams: TokenSeams): Plan {
  switch (observed.concern) {
    case "secret":
      return observed.account === undefined ? deleteOrphanedToken(observed.secret) : fillData(observed.secret, observed.account, seams)
    case "reference":
      return removeReference(observed)
    case "account":
      return createToken(observed, generatedName(generatedPrefix(observed.account.metadata.name ?? ""), random), seams)
  }
}

function deleteOrphanedToken(secret: Secret): Plan {
  return plan().delete(secret, `its service account ${secret.metadata.annotations?.[nameAnnotation]} does not exist`)
}

/** Tolerates a conflict: the newer Secret is reconciled next. */
function fillData(secret: Secret, account: ServiceAccount, seams: TokenSeams): Plan {
  const missing = missingData(secret, account, seams)
  if (missing === undefined) return plan().nothing("it has all data of a token Secret")
  const annotations = { ...secret.metadata.annotations, ...annotationsFor(account) }
  const object: Secret = { ...secret, metadata: { ...secret.metadata, annotations }, data: { ...secret.data, ...missing } }
  const reason = `it has no ${Object.keys(missing).join(", no ")} of ${keyOf(account)}, or an old one`
  return plan().operation({ do: "update", object, reason, tolerate: ["Conflict", "NotFound"] })
}

function removeReference({ account, gone }: Observed & { concern: "reference" }): Plan {
  if (!gone.some((name) => referencedNames(account).has(name))) return plan().nothing("the account does not refer to it")
  return plan().operation({
    do: "update",
    object: withSecrets(account, gone),
    reason: `the Secret ${gone.join()} is gone`,
    tolerate: ["NotFound"],
  })
}

/** Creates a token Secret for the account, as older clusters did. settle deletes it if the account cannot refer to it. */
function createToken({ account, unused, gone }: Observed & { concern: "account" }, name: string, seams: TokenSeams): Plan {
  if (unused !== undefined) {
    return plan().update(
      withSecrets(account, gone, unused.metadata.name),
      `it has the token ${unused.metadata.name} and does not refer to it`,
    )
  }
  const metadata = { name, namespace: account.metadata.namespace, annotations: annotationsFor(account) }
  const empty: Secret = { apiVersion: "v1", kind: "Secret", metadata, type: tokenType }
  return plan()
    .create({ ...empty, data: missingData(empty, account, seams) }, `the account ${keyOf(account)} has no token`)
    .nextStep()
    .update(withSecrets(account, gone, name), "it refers to its token")
}

function annotationsFor({ metadata }: ServiceAccount): Record<string, string> {
  return { [nameAnnotation]: metadata.name ?? "", [uidAnnotation]: metadata.uid ?? "" }
}

function withSecrets(account: ServiceAccount, gone: readonly string[], added?: string): ServiceAccount {
  const kept = (account.secrets ?? []).filter(({ name }) => !gone.includes(name ?? ""))
  return { ...account, secrets: added === undefined ? kept : [...kept, { name: added }] }
}

/** Deletes a new token when the update of its account failed: no client would find it. */
export function settle(observed: Observed, results: readonly Result[]): Plan {
  const built = plan()
  if (observed.concern !== "account") return built
  const [made, updated] = results
  if (made?.ok !== true || made.operation.do !== "create" || made.object === undefined || updated?.ok !== false) return built
  return built.delete(made.object, "the account could not be made to refer to it")
}
