import { Buffer } from "node:buffer"
import type { Secret, ServiceAccount } from "@pilothouse/api/core/v1"
import type { SignToken } from "../shared/descriptor.ts"

export const tokenType = "kubernetes.io/service-account-token"
export const nameAnnotation = "kubernetes.io/service-account.name"
export const uidAnnotation = "kubernetes.io/service-account.uid"

/** The dependencies of token creation. */
export interface TokenSeams {
  readonly sign: SignToken
  /** PEM; without it Secrets get none. */
  readonly rootCa?: string
}

export function isTokenSecret({ type, metadata }: Secret): boolean {
  return type === tokenType && Boolean(metadata.annotations?.[nameAnnotation])
}

export function serviceAccountKey({ metadata }: Secret): string {
  return `${metadata.namespace}/${metadata.annotations?.[nameAnnotation]}`
}

/** Reports whether the Secret is a token of the account, by UID; without a UID annotation the name decides. */
export function isTokenOf(secret: Secret, { metadata: { namespace, name, uid } }: ServiceAccount): boolean {
  const said = secret.metadata.annotations?.[uidAnnotation]
  return isTokenSecret(secret) && serviceAccountKey(secret) === `${namespace}/${name}` && (!said || said === uid)
}

/** Reports whether the name is one that this controller generates: the account, truncated if necessary, and five characters. */
export function isGeneratedName(secret: string | undefined, { metadata }: ServiceAccount): boolean {
  const prefix = generatedPrefix(metadata.name ?? "")
  return secret?.startsWith(prefix) === true && /^[a-z0-9]{5}$/.test(secret.slice(prefix.length))
}

export function generatedPrefix(account: string): string {
  return `${account}-token-`.slice(0, 58)
}

export function referencedNames({ secrets }: ServiceAccount): ReadonlySet<string> {
  return new Set((secrets ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])))
}

/** Returns the data that is missing or wrong; undefined when nothing is. An existing namespace is kept. */
export function missingData(
  secret: Secret,
  account: ServiceAccount,
  { sign, rootCa }: TokenSeams,
): Readonly<Record<string, string>> | undefined {
  const { data = {}, metadata } = secret
  const missing: Record<string, string> = {}
  if (rootCa && data["ca.crt"] !== encoded(rootCa)) missing["ca.crt"] = encoded(rootCa)
  if (!data.namespace) missing.namespace = encoded(metadata.namespace ?? "")
  if (!data.token) missing.token = encoded(sign(tokenClaims(secret, account)))
  return Object.keys(missing).length === 0 ? undefined : missing
}

/** Returns the claims of a token without expiry: it is valid as long as its Secret exists. */
function tokenClaims(
  { metadata: secret }: Secret,
  { metadata: { namespace, name, uid } }: ServiceAccount,
): Readonly<Record<string, unknown>> {
  const prefix = "kubernetes.io/serviceaccount"
  return {
    iss: "kubernetes/serviceaccount",
    sub: `system:serviceaccount:${namespace}:${name}`,
    [`${prefix}/namespace`]: namespace,
    [`${prefix}/secret.name`]: secret.name,
    [`${prefix}/service-account.name`]: name,
    [`${prefix}/service-account.uid`]: uid,
  }
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64")
}
