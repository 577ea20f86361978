import { timingSafeEqual } from "node:crypto"
import { type Secret, type ServiceAccount, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { readObject } from "../registry/object-key.ts"
import type { Around, Reference } from "./bound-objects.ts"
import type { Claims } from "./jwt.ts"

/** The issuer of the tokens that the controller manager puts into Secrets. */
export const legacyIssuer = "kubernetes/serviceaccount"

const invalidSince = "kubernetes.io/legacy-token-invalid-since"
const lastUsed = "kubernetes.io/legacy-token-last-used"

/** A token of a Secret: it has no end, and holds while the Secret and the account are there and the Secret has this token. */
export interface LegacyToken {
  readonly namespace: string
  readonly serviceaccount: Reference
  readonly secret: Secret
}

/** Returns whose token it is, or why it is not good, in upstream's words. */
export function legacyToken(token: string, claims: Claims, around: Around): LegacyToken | string {
  const text = (name: string) => {
    const value = claims[`kubernetes.io/serviceaccount/${name}`]
    return typeof value === "string" ? value : ""
  }
  const [namespace, secretName, name, uid] = [
    text("namespace"),
    text("secret.name"),
    text("service-account.name"),
    text("service-account.uid"),
  ]
  if ((claims.sub ?? "") === "") return "sub claim is missing"
  if (namespace === "") return "namespace claim is missing"
  if (secretName === "") return "secretName claim is missing"
  if (name === "") return "serviceAccountName claim is missing"
  if (uid === "") return "serviceAccountUID claim is missing"
  if (claims.sub !== `system:serviceaccount:${namespace}:${name}`) return "sub claim is invalid"
  const { storage, registry } = around
  const secret: Secret | undefined = readObject(storage, registry.of(secrets), namespace, secretName)
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return "Token has been invalidated"
  if (!holdsToken(secret, token)) return "Token does not match server's copy"
  const account: ServiceAccount | undefined = readObject(storage, registry.of(serviceAccounts), namespace, name)
  if (account === undefined) return `serviceaccounts "${name}" not found`
  if (account.metadata.deletionTimestamp !== undefined) return `ServiceAccount ${namespace}/${name} has been deleted`
  if (account.metadata.uid !== uid) return `ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`
  return { namespace, serviceaccount: { name, uid }, secret }
}

/** Returns why the token of a Secret that was called invalid is refused; undefined where it was not. */
export function markedInvalid({ namespace, serviceaccount, secret: { metadata } }: LegacyToken): string | undefined {
  if ((metadata.labels?.[invalidSince] ?? "") === "") return undefined
  const of = `secret ${namespace}/${metadata.name} for service account ${namespace}/${serviceaccount.name}`
  return (
    `the token in ${of} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, ` +
    `or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`
  )
}

/** Returns the patch that says on which day a token was used last; undefined where its Secret says so. Unused tokens are cleaned up by that. */
export function lastUsedPatch({ metadata }: Secret, now: number): object | undefined {
  const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  const noted = metadata.labels?.[lastUsed]
  // Another server's clock may be a day ahead.
  if (noted === dateOf(now) || noted === dateOf(now + 24 * 3_600_000)) return undefined
  return { metadata: { uid: metadata.uid, labels: { [lastUsed]: dateOf(now) } } }
}

function holdsToken({ data }: Secret, token: string): boolean {
  const [held, given] = [Buffer.from(data?.token ?? "", "base64"), Buffer.from(token)]
  return held.length === given.length && timingSafeEqual(held, given)
}
