import { setTimeout as delay } from "node:timers/promises"
import { patchContentTypes } from "@pilothouse/api/patch"
import { difference } from "../api/comparable.ts"
import { isRecord, type JsonObject } from "../api/objects/object.ts"
import type { ApiClient } from "../api-client.ts"
import { comparableEntries } from "../apply/answers.ts"

/** By "collection namespace/name": the managedFields without their times. */
export type ManagersByObject = ReadonlyMap<string, unknown>

const group = (name: string, version = "v1") => `/apis/${name}/${version}`
const [core, inDefault, rbac] = ["/api/v1", "/api/v1/namespaces/default", group("rbac.authorization.k8s.io")]
const [flowControl, policy] = [group("flowcontrol.apiserver.k8s.io"), group("policy")]
const [definitions, apiServices] = [
  `${group("apiextensions.k8s.io")}/customresourcedefinitions`,
  `${group("apiregistration.k8s.io")}/apiservices`,
]

/** Where objects stand that the server writes by itself, at its start or because of what clients do. */
const collections = [
  `${core}/namespaces`,
  `${core}/services`,
  `${core}/endpoints`,
  `${core}/configmaps`,
  `${core}/resourcequotas`,
  `${group("discovery.k8s.io")}/endpointslices`,
  `${group("networking.k8s.io")}/servicecidrs`,
  `${group("networking.k8s.io")}/ipaddresses`,
  `${group("scheduling.k8s.io")}/priorityclasses`,
  `${flowControl}/prioritylevelconfigurations`,
  `${flowControl}/flowschemas`,
  `${group("coordination.k8s.io")}/leases`,
  ...["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map((plural) => `${rbac}/${plural}`),
  `${policy}/poddisruptionbudgets`,
  definitions,
  apiServices,
]

/** Sends what makes a server write other objects, and returns who owns what of everything that it has written. */
export async function ownObjects(client: ApiClient): Promise<ManagersByObject> {
  await until("the server's objects", () => isStarted(client))
  await chargeQuota(client)
  await evictPod(client)
  await define(client)
  await create(client, `${inDefault}/services`, { metadata: { name: "web" }, spec: { clusterIP: "10.0.200.1", ports: [{ port: 80 }] } })
  const byObject = new Map<string, unknown>()
  for (const path of collections) {
    for (const { metadata } of await list(client, path)) {
      const { namespace = "", name = "", managedFields } = metadata as JsonObject
      byObject.set(`${path} ${namespace}/${name}`, comparableEntries(managedFields))
    }
  }
  return byObject
}

/** Where two servers differ in the managers of an object; undefined for none. */
export function managersDifference(theirs: unknown, ours: unknown): string | undefined {
  const found = difference(theirs, ours)
  return found && `${found}\nthe server: ${JSON.stringify(theirs)}\nours:       ${JSON.stringify(ours)}`
}

/** What the server's controllers write last. */
async function isStarted(client: ApiClient): Promise<boolean> {
  const flowSchemas = await list(client, `${flowControl}/flowschemas`)
  const cidrs = await list(client, `${group("networking.k8s.io")}/servicecidrs`)
  const [bindings, leases] = [await list(client, `${rbac}/rolebindings`), await list(client, `${group("coordination.k8s.io")}/leases`)]
  const hasConditions = ({ status }: JsonObject) => isRecord(status) && Array.isArray(status.conditions)
  return (
    flowSchemas.length > 10 &&
    [...flowSchemas, ...cidrs].every(hasConditions) &&
    cidrs.length > 0 &&
    bindings.length > 6 &&
    leases.length > 0
  )
}

async function chargeQuota(client: ApiClient): Promise<void> {
  const hard = { configmaps: "9", secrets: "9" }
  await create(client, `${inDefault}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } })
  await patchStatus(client, `${inDefault}/resourcequotas/q`, { hard, used: { configmaps: "0", secrets: "0" } })
  await until("the charge of a quota", async () => {
    await create(client, `${inDefault}/configmaps`, { metadata: { generateName: "charged-" } })
    const { value } = await client.send({ verb: "GET", path: `${inDefault}/resourcequotas/q` })
    return ((value as JsonObject).status as { used: JsonObject }).used.configmaps !== "0"
  })
}

async function evictPod(client: ApiClient): Promise<void> {
  const labels = { app: "evicted" }
  await create(client, `${policy}/namespaces/default/poddisruptionbudgets`, {
    metadata: { name: "budget" },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  })
  const counted = { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1, observedGeneration: 1 }
  await patchStatus(client, `${policy}/namespaces/default/poddisruptionbudgets/budget`, counted)
  await create(client, `${inDefault}/pods`, {
    metadata: { name: "evicted", labels, finalizers: ["example.com/kept"] },
    spec: { containers: [{ name: "c", image: "example/c:1" }] },
  })
  await patchStatus(client, `${inDefault}/pods/evicted`, { phase: "Running", conditions: [{ type: "Ready", status: "True" }] })
  await create(client, `${inDefault}/pods/evicted/eviction`, { metadata: { name: "evicted" } })
}

async function define(client: ApiClient): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object" } }
  await create(client, definitions, {
    metadata: { name: "boats.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "boats", kind: "Boat" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  })
  await create(client, apiServices, {
    metadata: { name: "v1.nowhere.example.com" },
    spec: {
      group: "nowhere.example.com",
      version: "v1",
      groupPriorityMinimum: 10,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: "default", name: "nowhere" },
    },
  })
  const conditions = async (path: string) => {
    const { value } = await client.send({ verb: "GET", path })
    return ((value as { readonly status?: { readonly conditions?: readonly JsonObject[] } }).status?.conditions ?? []).map(
      ({ type }) => type,
    )
  }
  await until("an established definition", async () => (await conditions(`${definitions}/boats.example.com`)).includes("Established"))
  await until("an APIService that was checked", async () =>
    (await conditions(`${apiServices}/v1.nowhere.example.com`)).includes("Available"),
  )
  await until("the APIService of a definition", async () => (await conditions(`${apiServices}/v1.example.com`)).includes("Available"))
}

async function create(client: ApiClient, path: string, body: object): Promise<void> {
  const { status, value } = await client.send({ verb: "POST", path, query: { fieldManager: "m1" }, body })
  if (status > 299) throw new Error(`POST ${path} was answered with ${status}: ${JSON.stringify(value)}`)
}

async function patchStatus(client: ApiClient, path: string, status: object): Promise<void> {
  const query = { fieldManager: "m2" }
  const answer = await client.send({ verb: "PATCH", path: `${path}/status`, query, contentType: patchContentTypes.merge, body: { status } })
  if (answer.status > 299) throw new Error(`PATCH ${path}/status was answered with ${answer.status}: ${JSON.stringify(answer.value)}`)
}

async function list(client: ApiClient, path: string): Promise<readonly JsonObject[]> {
  const { value } = await client.send({ verb: "GET", path })
  return (value as { readonly items?: readonly JsonObject[] }).items ?? []
}

const patience = 60_000

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patience
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`expected ${what} within ${patience / 1000} s`)
    await delay(200)
  }
}
