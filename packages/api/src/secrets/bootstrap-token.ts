import type { Secret } from "../generated/core/v1.types.ts"
import { parseTime } from "../text/time.ts"

/** The type of Secrets that are bootstrap tokens. */
export const bootstrapTokenType = "bootstrap.kubernetes.io/token"

const namePrefix = "bootstrap-token-"
const defaultGroup = "system:bootstrappers"

/** What a bootstrap token may be used for, by the key of its Secret that says so. */
export type BootstrapTokenUsage = "usage-bootstrap-authentication" | "usage-bootstrap-signing"

/** A bootstrap token that may be used now. */
export interface BootstrapToken {
  readonly id: string
  readonly secret: string
}

/** Returns the parts of a bearer token of the form "abcdef.0123456789abcdef"; undefined for any other. */
export function parseBootstrapToken(token: string): BootstrapToken | undefined {
  const [, id = "", secret = ""] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token) ?? []
  return id === "" ? undefined : { id, secret }
}

/** Returns the name of the Secret of a token's id. */
export function bootstrapTokenName(id: string): string {
  return `${namePrefix}${id}`
}

/** Reports whether a Secret is a bootstrap token, whatever it holds. */
export function isBootstrapToken({ type, metadata }: Secret): boolean {
  return type === bootstrapTokenType && metadata.namespace === "kube-system"
}

/** Returns the token of a Secret whose name and id agree, that has not expired and may be used so. */
export function usableBootstrapToken(secret: Secret, usage: BootstrapTokenUsage, now: number): BootstrapToken | undefined {
  const [id, value] = [secretText(secret, "token-id"), secretText(secret, "token-secret")]
  const isWhole = id !== "" && value !== "" && secret.metadata.name === bootstrapTokenName(id) && /^[a-z0-9]{6}$/.test(id)
  const mayBeUsed = (bootstrapTokenExpiry(secret) ?? Number.POSITIVE_INFINITY) > now && secretText(secret, usage) === "true"
  return isWhole && mayBeUsed ? { id, secret: value } : undefined
}

/** Returns when a token expires, in milliseconds; undefined for never, and the distant past for a time that cannot be read. */
export function bootstrapTokenExpiry(secret: Secret): number | undefined {
  const text = secretText(secret, "expiration")
  if (text === "") return undefined
  try {
    return parseTime(text)
  } catch {
    // A user may have written anything: such a token counts as expired, as upstream has it.
    return Number.NEGATIVE_INFINITY
  }
}

/** Returns the groups of the token's user, sorted; undefined where one of them has a name that is not allowed. */
export function bootstrapTokenGroups(secret: Secret): readonly string[] | undefined {
  const extra = secretText(secret, "auth-extra-groups")
  const groups = extra === "" ? [] : extra.split(",")
  if (!groups.every((group) => /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/.test(group))) return undefined
  return [...new Set([defaultGroup, ...groups])].sort()
}

function secretText({ data }: Secret, key: string): string {
  const encoded = data?.[key] ?? ""
  return Buffer.from(encoded, "base64").toString("utf8")
}
