import { timingSafeEqual } from "node:crypto"
import type { Secret } from "@pilothouse/api/core/v1"
import type { Claims } from "./jwt.ts"

/** Who signed the tokens that the controller manager puts into Secrets. */
export const legacyIssuer = "kubernetes/serviceaccount"

const type = "kubernetes.io/service-account-token"
const invalidSince = "kubernetes.io/legacy-token-invalid-since"

interface LegacyAccount {
  readonly namespace: string
  /** The Secret that holds the token. */
  readonly secret: string
  readonly serviceaccount: { readonly name: string; readonly uid: string }
}

export function legacyAccountOf(claims: Claims): LegacyAccount | undefined {
  const text = (name: string) => {
    const value = claims[`kubernetes.io/serviceaccount/${name}`]
    return typeof value === "string" ? value : ""
  }
  const [namespace, secret, name, uid] = [text("namespace"), text("secret.name"), text("service-account.name"), text("service-account.uid")]
  if ([namespace, secret, name, uid].includes("") || claims.sub !== `system:serviceaccount:${namespace}:${name}`) return undefined
  return { namespace, secret, serviceaccount: { name, uid } }
}

/** Whether a Secret is one of tokens, is not on its way out, and holds this very token. */
export function holdsToken({ metadata, type: found, data }: Secret, token: string): boolean {
  if (found !== type || metadata.deletionTimestamp !== undefined || metadata.labels?.[invalidSince] !== undefined) return false
  const [held, given] = [Buffer.from(data?.token ?? "", "base64"), Buffer.from(token)]
  return held.length === given.length && timingSafeEqual(held, given)
}
