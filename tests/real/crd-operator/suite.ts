// npm run test:real -- crd-operator: the operator of the guide, garbage collector, namespace and quota controllers with a custom kind, on a real API server and on ours.
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { isNotFound, type KubeObject } from "@pilothouse/api"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { deployments } from "@pilothouse/api/apps/v1"
import { namespaces, resourceQuotas } from "@pilothouse/api/core/v1"
import { createControllers } from "@pilothouse/controllers"
import { type Client, createClient, createManager, defaultTransport } from "@pilothouse/runtime"
import { readManifests, untilEstablished } from "@pilothouse/runtime/manifests"
import { messageOf, silentLog } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { websiteOperator } from "../../../examples/website-operator/controller.ts"
import { type Website, websites } from "../../../examples/website-operator/websites.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

/** Without controllers nothing creates the service accounts that this plugin requires. */
const disabledPlugins = ["ServiceAccount"]
const patience = 120_000
const crds = join(import.meta.dirname, "../../../examples/website-operator/crds")

async function run({ tally }: SuiteContext): Promise<void> {
  await using real = await startControlPlane({ apiServerFlags: [`--disable-admission-plugins=${disabledPlugins}`] })
  await using ours = await startOurApiServer({ disabledPlugins })
  await tally.group("an operator of a custom kind", async (group) => {
    const [theirs, own] = await Promise.all([story(real.kubeconfig("admin")), story(ours.kubeconfig("admin"))])
    for (const [name, expected] of Object.entries(theirs))
      group.case(name, own[name] === expected ? undefined : `the server: ${expected}\nours:       ${own[name]}`)
  })
}

/** Returns what each part of the story finds, by name. */
async function story(kubeconfig: string): Promise<Readonly<Record<string, string>>> {
  await using connection = await defaultTransport({ kubeconfig, clock: systemClock })
  const client = createClient(connection.transport, { userAgent: "story" })
  const controllers = [...createControllers({ select: ["garbagecollector", "namespace", "resourcequota"] }), websiteOperator]
  const seams = { transport: connection.transport, clock: systemClock, random: systemRandom(), log: silentLog }
  const manager = createManager({ ...seams, controllers, grace: 300 })
  const stopping = new AbortController()
  // Before the definition is there: the operator waits for its kind.
  const running = manager.run(stopping.signal)
  try {
    return { ...(await definition(client)), ...(await operator(client)), ...(await quota(client)), ...(await removal(client)) }
  } finally {
    stopping.abort()
    await running
  }
}

function website(name: string, namespace: string): Website {
  const spec = { image: "example/blog:1" } as Website["spec"]
  return { apiVersion: "example.com/v1", kind: "Website", metadata: { name, namespace }, spec }
}

async function definition(client: Client): Promise<Readonly<Record<string, string>>> {
  const [manifest] = readManifests(systemFiles, crds)
  await client.create(customResourceDefinitions, manifest!.object as never)
  const { status } = await untilEstablished(client, manifest!.object.metadata.name ?? "", { clock: systemClock })
  const conditions = (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)
  const described = await client.forKind("example.com/v1", "Website")
  return { established: conditions.join(", "), discovered: JSON.stringify(described) }
}

async function operator(client: Client): Promise<Readonly<Record<string, string>>> {
  const made = await client.create(websites, website("blog", "default"))
  const refused = await client.patch(websites, made, { spec: { replicas: -1 } }).catch(messageOf)
  const deployment = await until(() => client.get(deployments, made).catch(ignoreMissing))
  const status = await until(async () => (await client.get(websites, made)).status)
  await client.patch(websites, made, { spec: { replicas: 4 } })
  await until(async () => (await client.get(deployments, made)).spec?.replicas === 4 || undefined)
  const managers = (await client.get(websites, made)).metadata.managedFields?.map(({ manager, operation, subresource }) =>
    [manager, operation, subresource].join(" "),
  )
  await client.delete(websites, made)
  await until(async () => (await gone(client.get(deployments, made))) || undefined)
  const owner = deployment.metadata.ownerReferences?.map(({ apiVersion, kind, name }) => `${apiVersion} ${kind} ${name}`).join(",")
  return {
    "default of the schema": String(made.spec.replicas),
    "refused by the schema": String(refused),
    "its Deployment": `${deployment.spec?.replicas} of ${owner}`,
    "its status": JSON.stringify(status),
    "managers of its fields": managers?.toSorted().join(", ") ?? "none",
  }
}

async function quota(client: Client): Promise<Readonly<Record<string, string>>> {
  const metadata = { name: "q", namespace: "default" }
  const hard = { "count/websites.example.com": "1" }
  await client.create(resourceQuotas, { apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard } })
  await until(async () => (await client.get(resourceQuotas, "default/q")).status?.used)
  const one = await client.create(websites, website("one", "default"))
  const refused = await client.create(websites, website("two", "default")).catch(messageOf)
  await client.delete(websites, one)
  const used = await until(async () => {
    const { status } = await client.get(resourceQuotas, "default/q")
    return status?.used?.["count/websites.example.com"] === "0" ? status.used : undefined
  })
  return { "beyond the quota": String(refused), "used after a delete": JSON.stringify(used) }
}

async function removal(client: Client): Promise<Readonly<Record<string, string>>> {
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } })
  await client.create(websites, website("blog", "team"))
  await client.delete(namespaces, "team")
  await until(async () => (await gone(client.get(namespaces, "team"))) || undefined)
  await client.create(websites, website("last", "default"))
  await client.delete(customResourceDefinitions, "websites.example.com")
  await until(async () => (await gone(client.get(customResourceDefinitions, "websites.example.com"))) || undefined)
  const after = await client.list(websites).then(({ items }) => `${items.length} left`, messageOf)
  return { "after the definition": after }
}

function ignoreMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}

function gone(reading: Promise<KubeObject>): Promise<boolean> {
  return reading.then(() => false, isNotFound)
}

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + patience
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`it did not come true within ${patience} ms: ${ask}`)
    await delay(100)
  }
}
