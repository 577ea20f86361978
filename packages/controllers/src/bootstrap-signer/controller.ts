import { createHmac } from "node:crypto"
import { bootstrapTokenExpiry, isBootstrapToken, usableBootstrapToken } from "@pilothouse/api"
import { type ConfigMap, configMaps, type Secret, secrets } from "@pilothouse/api/core/v1"
import { type Controller, controller, index, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

const clusterInfo = "kube-public/cluster-info"
const prefix = "jws-kubeconfig-"

/**
 * Signs the kubeconfig in kube-public/cluster-info with every bootstrap token that may sign, so that a joining node that knows a token can tell the
 * right cluster before it trusts its authority. A signature goes when its token does. Watches that ConfigMap and the bootstrap tokens; one key.
 */
export function bootstrapSignerController(): Controller {
  return controller("bootstrap-signer-controller", {
    for: configMaps,
    predicate: ({ type, object: { metadata } }) => type !== "deleted" && `${metadata.namespace}/${metadata.name}` === clusterInfo,
    watches: [watch(secrets, "a bootstrap token changed", (secret) => (isBootstrapToken(secret) ? [clusterInfo] : []))],
    indexes: [bootstrapTokens],
    maxConcurrentReconciles: 1,
    observe,
    decide: (observed, { now }) => decide(observed, now),
  })
}

const bootstrapTokens = index(secrets, "bootstrap-token", (secret) => (isBootstrapToken(secret) ? ["yes"] : []))

export interface Observed {
  readonly info: ConfigMap
  readonly tokens: readonly Secret[]
}

function observe(key: string, read: Reader): Observed | undefined {
  const info = read.get(configMaps, key)
  return info && { info, tokens: read.byIndex(bootstrapTokens, "yes") }
}

/** Keeps one signature for each token that may sign now, and is called again when the next of them expires. */
export function decide({ info, tokens }: Observed, now: number): Plan {
  const { data = {} } = info
  const { kubeconfig } = data
  if (kubeconfig === undefined) return plan().nothing("there is no kubeconfig to sign")
  const unsigned = Object.entries(data).filter(([key]) => !key.startsWith(prefix))
  const signatures = tokens.flatMap((secret): readonly (readonly [string, string])[] => {
    const token = usableBootstrapToken(secret, "usage-bootstrap-signing", now)
    return token === undefined ? [] : [[`${prefix}${token.id}`, detachedSignature(kubeconfig, token.id, token.secret)]]
  })
  const signed = Object.fromEntries([...unsigned, ...signatures])
  const expiries = tokens.flatMap((secret) => bootstrapTokenExpiry(secret) ?? []).filter((end) => end > now)
  const built = plan()
  if (expiries.length > 0) built.requeueAfter(Math.min(...expiries) - now, "a token expires then")
  const keys = new Set([...Object.keys(data), ...Object.keys(signed)])
  if ([...keys].every((key) => data[key] === signed[key])) return built.nothing("every token has signed it")
  const reason = `it should have the signatures of ${signatures.length} tokens and no others`
  const next: ConfigMap = { ...info, data: signed }
  return built.operation({ do: "update", object: next, tolerate: ["Conflict", "NotFound"], reason })
}

/** Signs text by JWS (RFC 7515, appendix F), without the text. Clients compare it letter by letter, its header included. */
export function detachedSignature(content: string, id: string, secret: string): string {
  const header = Buffer.from(JSON.stringify({ alg: "HS256", kid: id })).toString("base64url")
  const signature = createHmac("sha256", secret).update(`${header}.${Buffer.from(content).toString("base64url")}`)
  return `${header}..${signature.digest("base64url")}`
}

export const bootstrapSignerDescriptor = descriptor({
  name: "bootstrap-signer-controller",
  aliases: ["bootstrapsigner"],
  onByDefault: false,
  create: () => bootstrapSignerController(),
})
