import { isConflict } from "@pilothouse/api"
import { type Deployment, deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { type ConfigMap, configMaps, events, nodes, pods } from "@pilothouse/api/core/v1"
import { type ApplyConfiguration, controller, describePlan, plan } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { cluster } from "./cluster.ts"

const web: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } },
  },
}

const colours = (data: Record<string, string>) =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "colours", namespace: "default" },
    data,
  }) satisfies ApplyConfiguration<ConfigMap>

/** Applies `data` to the ConfigMap of each Deployment. */
function painter(data: Record<string, string>, options?: { readonly force?: boolean }) {
  return controller("painter", {
    for: deployments,
    observe: (key, read) => read.get(deployments, key),
    decide: () => plan().apply(colours(data), "the deployment has a colour", options),
  })
}

const managersOf = ({ metadata: { managedFields = [] } }: Pick<Deployment, "metadata">) =>
  managedFields.map(({ manager, operation, subresource = "" }) => [manager, operation, subresource].filter(Boolean).join(" ")).toSorted()

test("what a controller applies belongs to its name, and what it no longer names goes", async () => {
  let data: Record<string, string> = { sky: "blue", sea: "green" }
  const extra = () => [painter(data)]
  await using c = await cluster({ controllers: [], extra, managedFields: true })
  await c.apply(web)
  await c.settled()
  const made = await c.client.get(configMaps, "default/colours")
  expect([made.data, managersOf(made)]).toEqual([data, ["painter Apply"]])
  await c.client.patch(configMaps, made, { data: { grass: "green" } })
  data = { sky: "grey" }
  await c.restartControllers()
  await c.settled()
  const changed = await c.client.get(configMaps, "default/colours")
  expect([changed.data, managersOf(changed)]).toEqual([{ sky: "grey", grass: "green" }, ["painter Apply", "test Update"]])
})

test("a plan's apply is traced with its reason; a conflict names the other manager, and force takes the field over", async () => {
  let force = false
  await using c = await cluster({ controllers: [], extra: () => [painter({ sky: "blue" }, { force })], managedFields: true })
  await c.client.apply(configMaps, colours({ sky: "red" }), { fieldManager: "sunset" })
  await c.apply(web)
  await c.settled()
  const lines = () => c.trace.entries().flatMap(({ plan: decided, results }) => (decided ? describePlan(decided, results) : []))
  expect(lines().find((line) => line.startsWith("apply"))).toBe(
    'apply ConfigMap default/colours, because the deployment has a colour: failed, Apply failed with 1 conflict: conflict with "sunset": .data.sky',
  )
  force = true
  await c.restartControllers()
  await c.settled()
  expect(lines()).toContain("apply ConfigMap default/colours, because the deployment has a colour: done")
  const taken = await c.client.get(configMaps, "default/colours")
  expect([taken.data, managersOf(taken)]).toEqual([{ sky: "blue" }, ["painter Apply"]])
})

test("the writes of Kubernetes' controllers, scheduler and kubelets carry upstream's manager names", async () => {
  await using c = await cluster({ controllers: ["deployment", "replicaset"], managedFields: true, kubeletEvents: true })
  await c.client.create(deployments, { ...web, metadata: { name: "web", namespace: "default" } }, { fieldManager: "me" })
  await c.until(async () => (await c.client.get(deployments, "default/web")).status?.readyReplicas === 2)
  await c.settled()
  expect(managersOf(await c.client.get(deployments, "default/web"))).toEqual(["kube-controller-manager Update status", "me Update"])
  const [replicaSet] = await c.list(replicaSets)
  expect(managersOf(replicaSet!)).toEqual(["kube-controller-manager Update", "kube-controller-manager Update status"])
  const [pod] = await c.list(pods)
  expect(managersOf(pod!)).toEqual(["kube-controller-manager Update", "kubelet Update status"])
  const [node] = await c.list(nodes)
  expect(managersOf(node!)).toContain("kubelet Update")
  const bySource = new Map((await c.list(events)).map((event) => [event.source?.component || event.reportingComponent, managersOf(event)]))
  expect(Object.fromEntries(bySource)).toMatchObject({
    "deployment-controller": ["kube-controller-manager Update"],
    "default-scheduler": ["kube-scheduler Update"],
    kubelet: ["kubelet Update"],
  })
})

test("objects show no managedFields by default; conflicts are found all the same", async () => {
  await using c = await cluster({ controllers: [] })
  await c.client.apply(configMaps, colours({ sky: "blue" }), { fieldManager: "one" })
  const refused = await c.client.apply(configMaps, colours({ sky: "red" }), { fieldManager: "two" }).catch((error: unknown) => error)
  expect(isConflict(refused)).toBe(true)
  const [found] = await c.list(configMaps, { namespace: "default", fieldSelector: "metadata.name=colours" })
  expect(found?.metadata).not.toHaveProperty("managedFields")
})

test.each([false, true])("c.apply merges and takes nothing over by conflict (through JSON: %s)", async (throughJson) => {
  await using c = await cluster({ controllers: [], managedFields: true, throughJson })
  await c.client.apply(configMaps, colours({ sky: "blue" }), { fieldManager: "one" })
  await c.apply<ConfigMap>(colours({ sky: "red", sea: "green" }))
  const found = await c.client.get(configMaps, "default/colours")
  expect([found.data, managersOf(found)]).toEqual([{ sky: "red", sea: "green" }, ["test Update"]])
})
