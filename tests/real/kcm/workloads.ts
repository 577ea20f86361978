import type { ApiClient } from "../api-client.ts"
import type { Group, Tally } from "../tally.ts"
import { itemsIn, statusIn, until } from "./until.ts"

const namespace = "work"
const base = `/api/v1/namespaces/${namespace}`

/** The other workloads, a budget and a quota, all in a namespace that goes with everything in it. */
export async function judgeWorkloads(tally: Tally, client: ApiClient, nodes: number): Promise<void> {
  await client.object({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } })
  await tally.group("a namespace gets what pods need", async (group) => {
    await until(group, client, {
      name: "its service account",
      path: `${base}/serviceaccounts/default`,
      when: ({ status }) => status === 200,
    })
    await until(group, client, { name: "its root CA", path: `${base}/configmaps/kube-root-ca.crt`, when: ({ status }) => status === 200 })
  })
  await tally.group("a StatefulSet", (group) => statefulSet(group, client))
  await tally.group("a DaemonSet", (group) => daemonSet(group, client, nodes))
  await tally.group("a Job", (group) => job(group, client))
  await tally.group("a PodDisruptionBudget", (group) => budget(group, client))
  await tally.group("a ResourceQuota", (group) => quota(group, client))
  await tally.group("the end of a namespace", async (group) => {
    await client.object({ verb: "DELETE", path: `/api/v1/namespaces/${namespace}` })
    await until(group, client, { name: "it is gone", path: `/api/v1/namespaces/${namespace}`, when: ({ status }) => status === 404 })
    await until(group, client, { name: "so are its pods", path: `${base}/pods`, when: (answer) => itemsIn(answer).length === 0 })
  })
}

function template(app: string): object {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: "main", image: `example/${app}:1` }] } }
}

function set(kind: string, app: string, more: object = {}): object {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name: app },
    spec: { ...more, selector: { matchLabels: { app } }, template: template(app) },
  }
}

async function statefulSet(group: Group, client: ApiClient): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${namespace}/statefulsets`
  await client.object({ verb: "POST", path, body: set("StatefulSet", "store", { replicas: 3, serviceName: "store" }) })
  await until(group, client, {
    name: "three Ready, one by one",
    path: `${path}/store`,
    when: (answer) => statusIn(answer).readyReplicas === 3,
  })
  const { items } = await client.object<{ items: { metadata: { name: string } }[] }>({
    verb: "GET",
    path: `${base}/pods`,
    query: { labelSelector: "app=store" },
  })
  const names = items.map(({ metadata }) => metadata.name).join(" ")
  group.case("their names", names === "store-0 store-1 store-2" ? undefined : `expected store-0 to store-2, found ${names}`)
}

async function daemonSet(group: Group, client: ApiClient, nodes: number): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${namespace}/daemonsets`
  await client.object({ verb: "POST", path, body: set("DaemonSet", "agent") })
  await until(group, client, { name: "one on each node", path: `${path}/agent`, when: (answer) => statusIn(answer).numberReady === nodes })
}

/** Its pods run for two seconds, by an annotation that the simulated kubelets heed. */
async function job(group: Group, client: ApiClient): Promise<void> {
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs`
  const spec = {
    completions: 3,
    parallelism: 3,
    template: {
      metadata: { annotations: { "pilothouse.dev/run-time": "2s" } },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example/sum:1" }] },
    },
  }
  await client.object({ verb: "POST", path, body: { apiVersion: "batch/v1", kind: "Job", metadata: { name: "sum" }, spec } })
  await until(group, client, { name: "three pods run", path: `${path}/sum`, when: (answer) => statusIn(answer).ready === 3 })
  await until(group, client, {
    name: "it is complete",
    path: `${path}/sum`,
    when: (answer) => statusIn(answer).succeeded === 3 && JSON.stringify(statusIn(answer).conditions).includes('"Complete"'),
  })
}

async function budget(group: Group, client: ApiClient): Promise<void> {
  const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`
  const spec = { minAvailable: 3, selector: { matchLabels: { app: "store" } } }
  await client.object({
    verb: "POST",
    path,
    body: { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "store" }, spec },
  })
  await until(group, client, { name: "it counts its pods", path: `${path}/store`, when: (answer) => statusIn(answer).currentHealthy === 3 })
  const evict = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "store-0" } }
  const refused = await client.send({ verb: "POST", path: `${base}/pods/store-0/eviction`, body: evict })
  group.case("an eviction is refused", refused.status === 429 ? undefined : `expected 429, found ${refused.status} ${refused.bytes}`)
}

async function quota(group: Group, client: ApiClient): Promise<void> {
  const path = `${base}/resourcequotas`
  const body = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "few" }, spec: { hard: { configmaps: "2" } } }
  await client.object({ verb: "POST", path, body })
  const used = (answer: Parameters<typeof statusIn>[0]) => (statusIn(answer).used as { configmaps?: string } | undefined)?.configmaps
  await until(group, client, { name: "it counts what is there", path: `${path}/few`, when: (answer) => used(answer) === "1" })
  const create = (name: string) => client.send({ verb: "POST", path: `${base}/configmaps`, body: { metadata: { name } } })
  const answers = [(await create("a")).status, (await create("b")).status].join(" ")
  group.case("one more fits, a second does not", answers === "201 403" ? undefined : `expected 201 403, found ${answers}`)
}
