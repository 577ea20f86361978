// npm run test:real -- identity: requests for certificates, tokens and their reviews, answered by the real control plane and by ours.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { certificateAuthority } from "@pilothouse/apiserver"
import { createControllers, signerNames } from "@pilothouse/controllers"
import { createManager } from "@pilothouse/runtime"
import { silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { type OurApiServer, startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Tally } from "../tally.ts"
import { compareRequests } from "./certificates.ts"
import { certificatesVersion, comparePodCertificates } from "./pod-certificates.ts"
import type { Side } from "./side.ts"
import { compareTokenWebhook, startTokenWebhooks } from "./token-webhook.ts"
import { compareTokens } from "./tokens.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

const names = ["csrapproving", "csrsigning", "bootstrapsigner", "tokencleaner"]

async function run({ tally }: SuiteContext): Promise<void> {
  const disabledPlugins = ["ServiceAccount"]
  await using webhooks = await startTokenWebhooks()
  const webhook = ["version=v1", `config-file=${webhooks.kubeconfig("real")}`].map((flag) => `--authentication-token-webhook-${flag}`)
  const flags = [`--disable-admission-plugins=${disabledPlugins}`, "--enable-bootstrap-token-auth", ...webhook]
  await using real = await startControlPlane({ apiServerFlags: flags })
  const tokenWebhook = webhooks.kubeconfig("ours")
  await using ours = await startOurApiServer({ disabledPlugins, authorizationModes: ["RBAC"], tokenWebhook })
  await real.startControllerManager([`--controllers=${names}`])
  await using _running = startControllers(ours)
  const sides: readonly Side[] = [real, ours].map(({ client, directory }) => ({
    client,
    key: readFileSync(join(directory, "sa.key"), "utf8"),
  }))
  await tally.group("requests for certificates", (group) => compareRequests(group, sides))
  await tally.group("tokens of a webhook", (group) => compareTokenWebhook(group, sides, webhooks))
  await tally.group("tokens and their reviews", (group) => compareTokens(group, sides))
  await podCertificates(tally)
}

/** On servers that have on what is off by default. */
async function podCertificates(tally: Tally): Promise<void> {
  const gates = ["ClusterTrustBundle", "ClusterTrustBundleProjection", "PodCertificateRequest"].map((gate) => `${gate}=true`)
  const apiServerFlags = [
    "--authorization-mode=Node",
    "--enable-admission-plugins=NodeRestriction",
    "--disable-admission-plugins=ServiceAccount",
    `--runtime-config=${certificatesVersion}=true`,
    `--feature-gates=${gates}`,
  ]
  await using real = await startControlPlane({ apiServerFlags })
  await using ours = await startOurApiServer({
    disabledPlugins: ["ServiceAccount"],
    authorizationModes: ["RBAC", "Node"],
    enabledVersions: [certificatesVersion],
  })
  const sides: readonly Side[] = [real, ours].map(({ client }) => ({ client, key: "" }))
  const file = (name: string) => readFileSync(join(real.directory, name), "utf8")
  const authority = certificateAuthority({ certificate: file("ca.crt"), key: file("ca.key") })
  await tally.group("trust bundles and pods' certificates", (group) => comparePodCertificates(group, sides, authority))
}

/** Ours, on our server, with the authority of its directory. */
function startControllers({ directory, transport }: OurApiServer): AsyncDisposable {
  const pair = { certificate: readFileSync(join(directory, "ca.crt"), "utf8"), key: readFileSync(join(directory, "ca.key"), "utf8") }
  const signers = Object.fromEntries(Object.values(signerNames).map((name) => [name, () => certificateAuthority(pair)]))
  const controllers = createControllers({ select: names, needs: { signers } })
  const manager = createManager({ controllers, transport, clock: systemClock, random: systemRandom(), log: silentLog })
  const stopping = new AbortController()
  const running = manager.run(stopping.signal)
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}
