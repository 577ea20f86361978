import { bootstrapTokenExpiry, isBootstrapToken } from "@pilothouse/api"
import { type Secret, secrets } from "@pilothouse/api/core/v1"
import { type Controller, controller, type Plan, plan } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

/**
 * Deletes bootstrap tokens, Secrets of kube-system, when they expire: at the time that they say, at once where that time cannot be read, never where
 * there is none.
 */
export function tokenCleanerController(): Controller {
  return controller("token-cleaner-controller", {
    for: secrets,
    predicate: ({ type, object }) => type !== "deleted" && isBootstrapToken(object as Secret),
    maxConcurrentReconciles: 1,
    observe: (key, read) => read.get(secrets, key),
    decide: (secret, { now }) => decide(secret, now),
  })
}

/** Deletes a bootstrap token once it has expired, and waits until then. */
export function decide(secret: Secret, now: number): Plan {
  if (!isBootstrapToken(secret)) return plan().nothing("it is no bootstrap token")
  const end = bootstrapTokenExpiry(secret)
  if (end === undefined) return plan().nothing("it never expires")
  if (end > now)
    return plan()
      .requeueAfter(end - now, "it expires then")
      .nothing("it has not expired")
  return plan().operation({ do: "delete", object: secret, tolerate: ["NotFound", "Conflict"], reason: "it has expired" })
}

export const tokenCleanerDescriptor = descriptor({
  name: "token-cleaner-controller",
  aliases: ["tokencleaner"],
  onByDefault: false,
  create: () => tokenCleanerController(),
})
