// npm run test:real -- managers: what a controller applies and writes, and under which field managers, on a real API server and on ours over TLS; and
// the managedFields of what each of the two writes by itself.
import { setTimeout as delay } from "node:timers/promises"
import { type Deployment, deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { createControllers } from "@pilothouse/controllers"
import { controller, createClient, createManager, defaultTransport, plan } from "@pilothouse/runtime"
import { messageOf, silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Tally } from "../tally.ts"
import { managersDifference, ownObjects } from "./own-objects.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

/** Without controllers nothing creates the service accounts that this plugin requires. */
const disabledPlugins = ["ServiceAccount"]
const patience = 60_000

async function run({ tally }: SuiteContext): Promise<void> {
  await judgeOwnObjects(tally)
  await using real = await startControlPlane({ apiServerFlags: [`--disable-admission-plugins=${disabledPlugins}`] })
  await using ours = await startOurApiServer({ disabledPlugins })
  await tally.group("what controllers write", async (group) => {
    const [theirs, own] = await Promise.all([story(real.kubeconfig("admin")), story(ours.kubeconfig("admin"))])
    for (const [name, expected] of Object.entries(expectations)) {
      const found = { theirs: theirs[name], own: own[name] }
      const isSame = found.theirs === expected && found.own === expected
      group.case(name, isSame ? undefined : `expected:   ${expected}\nthe server: ${found.theirs}\nours:       ${found.own}`)
    }
  })
}

/** The server's address among endpoints, which a loopback address cannot be. */
const reconciled = ["--advertise-address=192.0.2.1", "--endpoint-reconciler-type=lease"]

async function judgeOwnObjects(tally: Tally): Promise<void> {
  await using real = await startControlPlane({ apiServerFlags: [...reconciled, `--disable-admission-plugins=${disabledPlugins}`] })
  await using ours = await startOurApiServer({ disabledPlugins, authorizationModes: ["RBAC"] })
  await tally.group("objects that a server writes by itself", async (group) => {
    const [theirs, own] = await Promise.all([ownObjects(real.client), ownObjects(ours.client)])
    for (const [object, entries] of theirs) {
      if (own.has(object)) group.case(object, managersDifference(entries, own.get(object)))
      else group.note(`only the server has ${object}`)
    }
    for (const object of own.keys()) if (!theirs.has(object)) group.note(`only ours has ${object}`)
  })
}

const web: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } },
  },
}

const colours = (data: Record<string, string>): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "colours", namespace: "default" },
  data,
})

/** What each part of the story finds, by name. */
async function story(kubeconfig: string): Promise<Readonly<Record<string, string>>> {
  await using connection = await defaultTransport({ kubeconfig, clock: systemClock }).then(closing)
  const client = createClient(connection.transport, { userAgent: "story" })
  const cached: boolean[] = []
  const painter = controller("painter", {
    for: deployments,
    observe: (key, read) => read.get(deployments, key),
    decide: ({ metadata }) => {
      cached.push(metadata.managedFields !== undefined)
      return plan().apply(colours({ sky: "blue" }), "a Deployment has a colour", { force: true })
    },
  })
  const controllers = [...createControllers({ select: ["deployment", "replicaset"] }), painter]
  const manager = createManager({
    controllers,
    transport: connection.transport,
    clock: systemClock,
    random: systemRandom(),
    log: silentLog,
    grace: 300,
  })
  const stopping = new AbortController()
  const running = manager.run(stopping.signal)
  await client.apply(configMaps, colours({ sky: "red", sea: "green" }), { fieldManager: "sunset" })
  await client.create(deployments, web, { fieldManager: "me" })
  const deployment = await until(async () => {
    const found = await client.get(deployments, "default/web")
    return found.status?.observedGeneration === undefined ? undefined : found
  })
  const painted = await until(async () => {
    const found = await client.get(configMaps, "default/colours")
    return found.data?.sky === "blue" ? found : undefined
  })
  const refused = await client.apply(configMaps, colours({ sky: "grey" }), { fieldManager: "sunset" }).catch(messageOf)
  const { items } = await client.list(replicaSets, { namespace: "default" })
  stopping.abort()
  await running
  return {
    "an applied ConfigMap": `sea ${painted.data?.sea}, sky ${painted.data?.sky}: ${managers(painted)}`,
    "a conflict": String(refused),
    "the Deployment": managers(deployment),
    "its ReplicaSet": managers(items[0]),
    "managedFields in a cache": String(cached.some(Boolean)),
  }
}

const expectations: Readonly<Record<string, string>> = {
  "an applied ConfigMap": "sea green, sky blue: painter Apply, sunset Apply",
  "a conflict": 'Apply failed with 1 conflict: conflict with "painter": .data.sky',
  "the Deployment": "kube-controller-manager Update status, me Update",
  "its ReplicaSet": "kube-controller-manager Update, kube-controller-manager Update status",
  "managedFields in a cache": "false",
}

function managers(object: Pick<Deployment, "metadata"> | undefined): string {
  const entries = object?.metadata.managedFields ?? []
  return entries
    .map(({ manager, operation, subresource }) => [manager, operation, subresource].filter(Boolean).join(" "))
    .toSorted()
    .join(", ")
}

async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + patience
  for (;;) {
    const found = await find()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`expected it within ${patience / 1000} s, found nothing`)
    await delay(100)
  }
}

function closing<T extends { close(): unknown }>(connection: T): T & AsyncDisposable {
  return Object.assign(connection, { [Symbol.asyncDispose]: async () => void (await connection.close()) })
}
