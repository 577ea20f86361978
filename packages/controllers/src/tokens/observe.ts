import { splitKey } from "@pilothouse/api"
import { type Secret, type ServiceAccount, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { index, type Reader } from "@pilothouse/runtime"
import { accountKeyOf, isGeneratedName, isTokenOf, isTokenSecret, referencedNames, uidAnnotation } from "./token-secret.ts"

/** Why something is looked at. A key is one of these and, after a colon, the object it is about. */
export type Concern = "secret" | "account" | "reference"

export type Observed =
  /** A token Secret, and its account if there is one. */
  | { readonly concern: "secret"; readonly secret: Secret; readonly account?: ServiceAccount }
  /** A token Secret that is gone, and its account as the server has it. */
  | { readonly concern: "reference"; readonly account: ServiceAccount; readonly gone: readonly string[] }
  /** An account that refers to no token of its own, as the server has it; one of them it could refer to, and references to what is gone. */
  | { readonly concern: "account"; readonly account: ServiceAccount; readonly unused?: Secret; readonly gone: readonly string[] }

/** Token Secrets by the key of their account. */
export const tokensByAccount = index(secrets, "service-account", (secret) => (isTokenSecret(secret) ? [accountKeyOf(secret)] : []))

export function keyFor(concern: Concern, about: string): string {
  return `${concern}:${about}`
}

export function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const at = key.indexOf(":")
  const about = key.slice(at + 1)
  switch (key.slice(0, at) as Concern) {
    case "secret":
      return secretOf(about, read)
    case "reference":
      return referenceTo(about, read)
    case "account":
      return accountOf(about, read)
  }
}

/** A cache may lag behind: the server is asked itself before the token of an account that seems to be gone is thrown away. */
async function secretOf(key: string, read: Reader): Promise<Observed | undefined> {
  const before = tokenSecretIn(read, key)
  if (before === undefined) return undefined
  const cached = ofThatUid(before, read.get(serviceAccounts, accountKeyOf(before)))
  if (cached !== undefined) return { concern: "secret", secret: before, account: cached }
  const live = await read.live(serviceAccounts, accountKeyOf(before))
  const secret = tokenSecretIn(read, key)
  // Another one since: its own change brings it here.
  if (secret === undefined || secret.metadata.resourceVersion !== before.metadata.resourceVersion) return undefined
  return { concern: "secret", secret, account: ofThatUid(secret, live) }
}

function tokenSecretIn(read: Reader, key: string): Secret | undefined {
  const secret = read.get(secrets, key)
  return secret !== undefined && isTokenSecret(secret) ? secret : undefined
}

function ofThatUid({ metadata }: Secret, account: ServiceAccount | undefined): ServiceAccount | undefined {
  const uid = metadata.annotations?.[uidAnnotation]
  return !uid || account?.metadata.uid === uid ? account : undefined
}

/** The key is namespace/account:secret. */
async function referenceTo(key: string, read: Reader): Promise<Observed | undefined> {
  const [accountKey = "", secret = ""] = key.split(":")
  if (read.get(serviceAccounts, accountKey) === undefined) return undefined
  const account = await read.live(serviceAccounts, accountKey)
  const { namespace } = splitKey(accountKey)
  const isThere = read.get(secrets, `${namespace}/${secret}`) !== undefined
  return account === undefined || isThere ? undefined : { concern: "reference", account, gone: [secret] }
}

async function accountOf(key: string, read: Reader): Promise<Observed | undefined> {
  const cached = read.get(serviceAccounts, key)
  if (cached === undefined || tokenThatIsReferred(cached, read) !== undefined) return undefined
  const account = await read.live(serviceAccounts, key)
  const gone = await goneReferences(cached, read)
  // The newer account comes by the watch, and is looked at then.
  if (account === undefined || account.metadata.resourceVersion !== read.get(serviceAccounts, key)?.metadata.resourceVersion)
    return undefined
  if (tokenThatIsReferred(account, read) !== undefined) return undefined
  return {
    concern: "account",
    account,
    gone,
    unused: tokensOf(account, read).find((secret) => isGeneratedName(secret.metadata.name, account)),
  }
}

function tokenThatIsReferred(account: ServiceAccount, read: Reader): Secret | undefined {
  const names = referencedNames(account)
  return tokensOf(account, read).find(({ metadata }) => names.has(metadata.name ?? ""))
}

function tokensOf(account: ServiceAccount, read: Reader): readonly Secret[] {
  const { namespace, name } = account.metadata
  return read
    .byIndex(tokensByAccount, `${namespace}/${name}`)
    .filter((secret) => isTokenOf(secret, account) && secret.metadata.deletionTimestamp === undefined)
}

/** References to Secrets that this controller once made and that are gone: whoever should have taken them out was not there. */
async function goneReferences(account: ServiceAccount, read: Reader): Promise<readonly string[]> {
  const { namespace } = account.metadata
  const missing = [...referencedNames(account)].filter(
    (name) => isGeneratedName(name, account) && read.get(secrets, `${namespace}/${name}`) === undefined,
  )
  const live = await Promise.all(missing.map((name) => read.live(secrets, `${namespace}/${name}`)))
  return missing.filter((_, at) => live[at] === undefined)
}
