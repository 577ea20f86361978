import { splitKey } from "@pilothouse/api"
import { type Secret, type ServiceAccount, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { index, type Reader } from "@pilothouse/runtime"
import { isGeneratedName, isTokenOf, isTokenSecret, referencedNames, serviceAccountKey, uidAnnotation } from "./token-secret.ts"

/** What a reconcile is about. A key is one of these and, after a colon, the object. */
export type Concern = "secret" | "account" | "reference"

export type Observed =
  /** A token Secret, and its account if there is one. */
  | { readonly concern: "secret"; readonly secret: Secret; readonly account?: ServiceAccount }
  /** A deleted token Secret, and its account as read from the API server. */
  | { readonly concern: "reference"; readonly account: ServiceAccount; readonly gone: readonly string[] }
  /** An account without a token, as read from the API server; a token that it could refer to, and references to deleted ones. */
  | { readonly concern: "account"; readonly account: ServiceAccount; readonly unused?: Secret; readonly gone: readonly string[] }

/** Token Secrets by the key of their account. */
export const tokensByAccount = index(secrets, "service-account", (secret) => (isTokenSecret(secret) ? [serviceAccountKey(secret)] : []))

export function keyFor(concern: Concern, about: string): string {
  return `${concern}:${about}`
}

/** Reads what a key is about: a token Secret, a reference to one, or an account. */
export function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const at = key.indexOf(":")
  const about = key.slice(at + 1)
  switch (key.slice(0, at) as Concern) {
    case "secret":
      return readSecret(about, read)
    case "reference":
      return readReference(about, read)
    case "account":
      return readAccount(about, read)
  }
}

/** Reads the account from the API server before its token is deleted, because the cache may lag. */
async function readSecret(key: string, read: Reader): Promise<Observed | undefined> {
  const before = tokenSecretIn(read, key)
  if (before === undefined) return undefined
  const cached = withMatchingUid(before, read.get(serviceAccounts, serviceAccountKey(before)))
  if (cached !== undefined) return { concern: "secret", secret: before, account: cached }
  const live = await read.live(serviceAccounts, serviceAccountKey(before))
  const secret = tokenSecretIn(read, key)
  // The Secret has changed since: that change enqueues it.
  if (secret === undefined || secret.metadata.resourceVersion !== before.metadata.resourceVersion) return undefined
  return { concern: "secret", secret, account: withMatchingUid(secret, live) }
}

function tokenSecretIn(read: Reader, key: string): Secret | undefined {
  const secret = read.get(secrets, key)
  return secret !== undefined && isTokenSecret(secret) ? secret : undefined
}

function withMatchingUid({ metadata }: Secret, account: ServiceAccount | undefined): ServiceAccount | undefined {
  const uid = metadata.annotations?.[uidAnnotation]
  return !uid || account?.metadata.uid === uid ? account : undefined
}

/** The key is namespace/account:secret. */
async function readReference(key: string, read: Reader): Promise<Observed | undefined> {
  const [accountKey = "", secret = ""] = key.split(":")
  if (read.get(serviceAccounts, accountKey) === undefined) return undefined
  const account = await read.live(serviceAccounts, accountKey)
  const { namespace } = splitKey(accountKey)
  const isThere = read.get(secrets, `${namespace}/${secret}`) !== undefined
  return account === undefined || isThere ? undefined : { concern: "reference", account, gone: [secret] }
}

async function readAccount(key: string, read: Reader): Promise<Observed | undefined> {
  const cached = read.get(serviceAccounts, key)
  if (cached === undefined || referencedToken(cached, read) !== undefined) return undefined
  const account = await read.live(serviceAccounts, key)
  const gone = await goneReferences(cached, read)
  // The newer account arrives by the watch, and is reconciled then.
  if (account === undefined || account.metadata.resourceVersion !== read.get(serviceAccounts, key)?.metadata.resourceVersion)
    return undefined
  if (referencedToken(account, read) !== undefined) return undefined
  return {
    concern: "account",
    account,
    gone,
    unused: accountTokens(account, read).find((secret) => isGeneratedName(secret.metadata.name, account)),
  }
}

function referencedToken(account: ServiceAccount, read: Reader): Secret | undefined {
  const names = referencedNames(account)
  return accountTokens(account, read).find(({ metadata }) => names.has(metadata.name ?? ""))
}

function accountTokens(account: ServiceAccount, read: Reader): readonly Secret[] {
  const { namespace, name } = account.metadata
  return read
    .byIndex(tokensByAccount, `${namespace}/${name}`)
    .filter((secret) => isTokenOf(secret, account) && secret.metadata.deletionTimestamp === undefined)
}

/** Returns references to deleted Secrets that this controller created and that were not removed, for example during a restart. */
async function goneReferences(account: ServiceAccount, read: Reader): Promise<readonly string[]> {
  const { namespace } = account.metadata
  const missing = [...referencedNames(account)].filter(
    (name) => isGeneratedName(name, account) && read.get(secrets, `${namespace}/${name}`) === undefined,
  )
  const live = await Promise.all(missing.map((name) => read.live(secrets, `${namespace}/${name}`)))
  return missing.filter((_, at) => live[at] === undefined)
}
