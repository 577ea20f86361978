import { podSecrets } from "@pilothouse/api"
import { configMaps, pods, type Secret, type ServiceAccount, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { index, type Reader } from "@pilothouse/runtime"

export interface Token {
  readonly secret: Secret
  /** The account of the token, by name and UID; undefined when it does not exist. */
  readonly account?: ServiceAccount
  readonly isMounted: boolean
}

export interface Observed {
  /** The day since which the API server tracks the use of tokens; undefined when it does not. */
  readonly trackedSince?: string
  readonly tokens: readonly Token[]
}

const tracking = "kube-system/kube-apiserver-legacy-service-account-token-tracking"

/** Under the one value "yes". */
export const tokenSecrets = index(secrets, "legacy-token", ({ type }) => (type === "kubernetes.io/service-account-token" ? ["yes"] : []))
export const podsBySecret = index(pods, "secret", (pod) => podSecrets(pod).map((name) => `${pod.metadata.namespace}/${name}`))

export async function observe(read: Reader): Promise<Observed> {
  const tracked = await read.live(configMaps, tracking)
  const all = read.byIndex(tokenSecrets, "yes")
  return { trackedSince: tracked?.data?.["since"], tokens: all.map((secret) => readToken(secret, read)) }
}

function readToken(secret: Secret, read: Reader): Token {
  const { namespace, name, annotations = {} } = secret.metadata
  const account = read.get(serviceAccounts, `${namespace}/${annotations["kubernetes.io/service-account.name"]}`)
  const uid = annotations["kubernetes.io/service-account.uid"]
  const isIts = !uid || account?.metadata.uid === uid
  return { secret, ...(isIts && account && { account }), isMounted: read.byIndex(podsBySecret, `${namespace}/${name}`).length > 0 }
}
