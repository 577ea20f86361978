// npm run test:real -- image-policy: pods whose images a webhook decides on, admitted by the real API server and by ours.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { deepEqual, type KubeObject } from "@pilothouse/api"
import { readPluginConfiguration } from "@pilothouse/apiserver"
import { defaultTransport } from "@pilothouse/runtime"
import { silentLog, stringifyJson } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { type Answer, startWebhookServer, type WebhookServer } from "../admission/webhook-server.ts"
import type { ApiClient } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

const plugin = "ImagePolicyWebhook"
const disabledPlugins = ["ServiceAccount"]

interface Reviewed {
  readonly kind: string
  readonly apiVersion: string
  readonly spec: { readonly containers?: readonly { readonly image?: string }[] }
}

/** What the webhook answers, by the image of the first container; `call` counts the reviews of all images of a server. */
const answers: Readonly<Record<string, (call: number) => object | Answer>> = {
  good: () => ({ allowed: true }),
  bad: () => ({ allowed: false }),
  "bad-with-reason": () => ({ allowed: false, reason: "no signature" }),
  refused: () => ({
    status: 403,
    body: stringifyJson({ kind: "Status", apiVersion: "v1", status: "Failure", code: 403, message: "not you" }),
  }),
  "no-review": () => ({ body: '{"kind":"Pod","apiVersion":"v1"}' }),
  "of-a-text": () => ({ allowed: "true" }),
}

/** Images whose refusal names what Go's decoder says, or where the webhook is: that they are refused is compared. */
const untold = new Set(["no-review", "of-a-text", "refused"])

async function run({ tally }: SuiteContext): Promise<void> {
  for (const defaultAllow of [false, true]) {
    await tally.group(defaultAllow ? "a webhook that may fail" : "a webhook that must answer", (group) =>
      compareImages(group, defaultAllow),
    )
  }
}

async function compareImages(group: Group, defaultAllow: boolean): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-image-policy-"))
  try {
    await using webhook = await startWebhookServer(new Map(["real", "ours"].map((side) => [side, answer])))
    const settings = (side: string) => ({ kubeConfigFile: kubeconfig(directory, webhook, side), retryBackoff: 1, defaultAllow })
    const configuration = join(directory, "admission.json")
    const plugins = [{ name: plugin, configuration: { imagePolicy: settings("real") } }]
    writeFileSync(configuration, stringifyJson({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins }))
    const chosen = [`--enable-admission-plugins=${plugin}`, `--admission-control-config-file=${configuration}`]
    await using real = await startControlPlane({ apiServerFlags: [`--disable-admission-plugins=${disabledPlugins}`, ...chosen] })
    const { ImagePolicyWebhook } = readPluginConfiguration(new Map([[plugin, { imagePolicy: settings("ours") }]]))
    await using connection = await defaultTransport({ kubeconfig: settings("ours").kubeConfigFile, clock: systemClock, files: systemFiles })
    const server = { transport: connection.transport, path: "" }
    const seams = { clock: systemClock, random: systemRandom(), log: silentLog, timeout: 30_000 }
    await using ours = await startOurApiServer({
      disabledPlugins,
      enabledPlugins: [plugin],
      imagePolicy: { ...ImagePolicyWebhook!, ...seams, server },
    })
    for (const [index, image] of [...Object.keys(answers), "good", "bad"].entries()) {
      const [theirs, own] = await Promise.all([real.client, ours.client].map((client) => created(client, image, `p${index}`)))
      group.case(image, deepEqual(theirs, own) ? undefined : `real: ${stringifyJson(theirs)}\nours: ${stringifyJson(own)}`)
    }
    const [theirs, own] = ["real", "ours"].map((side) => webhook.reviews(`/${side}`).map((review) => told(review as unknown as Reviewed)))
    group.case("the reviews", deepEqual(theirs, own) ? undefined : `real: ${stringifyJson(theirs)}\nours: ${stringifyJson(own)}`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function answer(review: unknown, call: number): Answer {
  const { spec, ...rest } = review as Reviewed
  const made = answers[spec.containers?.[0]?.image ?? ""]!(call)
  return typeof made === "string" || "body" in made ? (made as Answer) : { body: stringifyJson({ ...rest, spec, status: made }) }
}

async function created(client: ApiClient, image: string, name: string): Promise<unknown> {
  const annotations = { "x.image-policy.k8s.io/b": "2", "x.image-policy.k8s.io/a": "1", other: "x" }
  const body = {
    metadata: { name, annotations },
    spec: { containers: [{ name: "c", image }], initContainers: [{ name: "i", image: "init" }] },
  }
  const { status, value } = await client.send({ verb: "POST", path: "/api/v1/namespaces/default/pods", body })
  const { metadata, message } = value as KubeObject & { readonly message?: string }
  return { status, annotations: metadata.annotations, message: untold.has(image) ? undefined : message }
}

function told({ kind, apiVersion, spec }: Reviewed): object {
  return { kind, apiVersion, spec }
}

function kubeconfig(directory: string, { port, ca }: WebhookServer, side: string): string {
  const path = join(directory, `${side}.kubeconfig`)
  const cluster = { server: `https://127.0.0.1:${port}/${side}`, "certificate-authority-data": Buffer.from(ca).toString("base64") }
  const contexts = [{ name: "w", context: { cluster: "w", user: "w" } }]
  const config = { apiVersion: "v1", kind: "Config", clusters: [{ name: "w", cluster }], users: [{ name: "w", user: {} }], contexts }
  writeFileSync(path, stringifyJson({ ...config, "current-context": "w" }))
  return path
}
