// npm run test:real -- admission-plugins: random pods, templates, namespaces and other writes, admitted by the real API server and by ours.
import { setTimeout as delay } from "node:timers/promises"
import { stringifyJson } from "@pilothouse/seams"
import { Draw } from "../api/draw.ts"
import type { ApiAnswer, ApiClient, ApiRequest } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { PodDraw } from "./draw-pod.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

const worlds = 25
const writesPerWorld = 40
/** Until the caches of the real server have seen what was written. */
const seen = 300
const disabledPlugins = ["ServiceAccount"]
/** Off by default. */
const enabledPlugins = [
  "AlwaysPullImages",
  "DenyServiceExternalIPs",
  "ExtendedResourceToleration",
  "LimitPodHardAntiAffinityTopology",
  "NamespaceExists",
  "OwnerReferencesPermissionEnforcement",
  "PodNodeSelector",
  "PodTolerationRestriction",
]
const namespaces = ["one", "two", "three"]
const levels = ["privileged", "baseline", "restricted"]
const versions = ["latest", "v1.0", "v1.7", "v1.18", "v1.22", "v1.24", "v1.28", "v1.30", "v1.33", "v1.34", "v1.36", "v1.99"]

/** The real server, then ours. */
type Servers = readonly [ApiClient, ApiClient]

async function run({ tally, random, histories = worlds }: SuiteContext): Promise<void> {
  const apiServerFlags = [`--disable-admission-plugins=${disabledPlugins}`, `--enable-admission-plugins=${enabledPlugins}`]
  await using real = await startControlPlane({ apiServerFlags })
  await using ours = await startOurApiServer({ disabledPlugins, enabledPlugins })
  const servers: Servers = [real.client, ours.client]
  for (const client of servers) await prepare(client)
  await tally.group(`${histories} worlds of ${writesPerWorld} writes`, async (group) => {
    for (let number = 1; number <= histories; number++) {
      await compareWorld(group, servers, new Draw(random.fork(`world ${number}`)), `world ${number}`)
    }
  })
}

const scheduling = { nodeSelector: { vm: "yes" }, tolerations: [{ key: "vm", operator: "Exists" }] }

/** What the writes refer to. */
async function prepare(client: ApiClient): Promise<void> {
  const post = (path: string, body: object) => client.object({ verb: "POST", path, body })
  const tolerations = stringifyJson([{ key: "team", operator: "Exists" }])
  const allowed = stringifyJson([{ operator: "Exists" }])
  const annotations = {
    two: { "scheduler.alpha.kubernetes.io/node-selector": "env=test", "scheduler.alpha.kubernetes.io/defaultTolerations": tolerations },
    three: { "scheduler.alpha.kubernetes.io/tolerationsWhitelist": allowed },
  }
  for (const name of namespaces) {
    await post("/api/v1/namespaces", { metadata: { name, annotations: (annotations as Readonly<Record<string, object>>)[name] ?? {} } })
  }
  const labels = { "topology.kubernetes.io/zone": "z1", "topology.kubernetes.io/region": "r1" }
  await post("/api/v1/nodes", { metadata: { name: "n1", labels } })
  await post("/apis/node.k8s.io/v1/runtimeclasses", {
    metadata: { name: "vm" },
    handler: "vm",
    overhead: { podFixed: { cpu: "250m" } },
    scheduling,
  })
  await post("/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "plain" }, handler: "plain" })
  const marked = { name: "edge", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } }
  await post("/apis/networking.k8s.io/v1/ingressclasses", { metadata: marked, spec: { controller: "example.com/edge" } })
}

async function compareWorld(group: Group, servers: Servers, draw: Draw, title: string): Promise<void> {
  const both = async (name: string, call: ApiRequest) => {
    const [theirs, own] = await Promise.all(servers.map(async (client) => told(await client.send(call))))
    group.case(`${title}, ${name}`, theirs === own ? undefined : `the server: ${theirs}\nours:       ${own}`)
  }
  for (const namespace of namespaces) {
    const call: ApiRequest = {
      verb: "PATCH",
      path: `/api/v1/namespaces/${namespace}`,
      contentType: "application/merge-patch+json",
      body: { metadata: { labels: labels(draw) } },
    }
    await both(`labels of ${namespace}: ${stringifyJson(call.body)}`, call)
  }
  await delay(seen)
  const pods = new PodDraw(draw)
  for (let at = 0; at < writesPerWorld - namespaces.length; at++) {
    const call = write(draw, pods, `x${title.slice("world ".length)}-${at}`)
    await both(`${call.verb} ${call.path} ${stringifyJson(call.body)}`, call)
  }
  await delay(seen)
}

const prefix = "pod-security.kubernetes.io/"

function labels(draw: Draw): Readonly<Record<string, string | null>> {
  const level = () => (draw.chance(0.05) ? "none" : draw.pick(levels))
  const version = () => (draw.chance(0.05) ? draw.pick(["1.30", "v1.030", "v2.0", ""]) : draw.pick(versions))
  const entries = ["enforce", "audit", "warn"].flatMap((mode): [string, string | null][] => [
    [`${prefix}${mode}`, draw.chance(0.65) ? level() : null],
    [`${prefix}${mode}-version`, draw.chance(0.5) ? version() : null],
  ])
  return Object.fromEntries(entries)
}

/** One in four pods stays, so that later labels of its namespace meet it. */
function write(draw: Draw, pods: PodDraw, name: string): ApiRequest {
  const namespace = draw.pick(namespaces)
  const dry = { dryRun: "All" }
  if (draw.chance(0.65)) {
    const path = `/api/v1/namespaces/${namespace}/pods`
    const { metadata, spec } = pods.pod(name)
    // Without a name, as controllers create them: mutating plugins refuse such a pod by the prefix of it.
    if (draw.chance(0.3))
      return { verb: "POST", path, body: { metadata: { ...metadata, name: undefined, generateName: `${name}-` }, spec }, query: dry }
    return { verb: "POST", path, body: { metadata, spec }, ...(draw.chance(0.75) && { query: dry }) }
  }
  if (draw.chance(0.6)) return { ...template(draw, pods, namespace, name), query: dry }
  return { ...other(draw, namespace, name), query: dry }
}

function template(draw: Draw, pods: PodDraw, namespace: string, name: string): ApiRequest {
  const { metadata, spec } = pods.pod(name)
  const selector = { matchLabels: { app: name } }
  const made = { metadata: { ...metadata, labels: { app: name } }, spec }
  const [path, body] = draw.pick<readonly [string, object]>([
    ["/apis/apps/v1", { kind: "deployments", spec: { selector, template: made } }],
    ["/apis/apps/v1", { kind: "daemonsets", spec: { selector, template: made } }],
    ["/apis/apps/v1", { kind: "statefulsets", spec: { selector, serviceName: "s", template: made } }],
    ["/apis/batch/v1", { kind: "jobs", spec: { template: { ...made, spec: { ...spec, restartPolicy: "Never" } } } }],
    [
      "/apis/batch/v1",
      {
        kind: "cronjobs",
        spec: { schedule: "* * * * *", jobTemplate: { spec: { template: { ...made, spec: { ...spec, restartPolicy: "Never" } } } } },
      },
    ],
    ["/api/v1", { kind: "replicationcontrollers", spec: { selector: { app: name }, template: made } }],
    ["/api/v1", { kind: "podtemplates", template: made }],
  ])
  const { kind, ...rest } = body as { kind: string }
  return { verb: "POST", path: `${path}/namespaces/${namespace}/${kind}`, body: { metadata: { name }, ...rest } }
}

/** Writes that other plugins look at. */
function other(draw: Draw, namespace: string, name: string): ApiRequest {
  const owner = {
    apiVersion: draw.pick(["v1", "example.com/v1"]),
    kind: "ConfigMap",
    name: "o",
    uid: "u",
    blockOwnerDeletion: draw.chance(0.5),
  }
  const chosen = draw.pick(["by annotation", "by field", "not", "not"])
  const [path, body] = draw.pick<readonly [string, object]>([
    [
      `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`,
      {
        metadata: { name, ...(chosen === "by annotation" && { annotations: { "kubernetes.io/ingress.class": "x" } }) },
        spec: {
          defaultBackend: { service: { name: "s", port: { number: 80 } } },
          ...(chosen === "by field" && { ingressClassName: "own" }),
        },
      },
    ],
    [
      `/api/v1/namespaces/${namespace}/services`,
      {
        metadata: { name },
        spec: { clusterIP: "None", selector: { a: "b" }, ports: [{ port: 80 }], ...(draw.chance(0.5) && { externalIPs: ["192.0.2.1"] }) },
      },
    ],
    [`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name, ownerReferences: [owner] } }],
    ["/api/v1/namespaces", { metadata: { name, labels: withoutNull(labels(draw)) } }],
  ])
  return { verb: "POST", path, body }
}

function withoutNull(all: Readonly<Record<string, string | null>>): object {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

/** Code, words and the warnings of PodSecurity, and of what was made all that plugins change. */
function told({ status, value, warnings }: ApiAnswer): string {
  const { message, metadata, spec } = value as { message?: string; metadata?: { labels?: object }; spec?: unknown }
  // A refusal of ours has no warnings; an answer has them in one header. Those of pods themselves are compared nowhere.
  const texts = status < 400 ? warnings.join(", ").split(", 299 - ") : []
  const ofPolicy = texts.some((text) => text.includes("existing pods")) ? texts : texts.filter((text) => text.includes("would violate"))
  const text = stringifyJson(
    sorted({
      status,
      ...(status >= 400 ? { message } : { labels: metadata?.labels, spec }),
      warnings: ofPolicy.map((text) => text.replace("299 - ", "")),
    }),
  )
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "a uid").replaceAll(/(x\d+-\d+-)[a-z0-9]{5}\b/g, "$1generated")
}

/** Members by name: their order says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}
