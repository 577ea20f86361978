import type { KubeObject } from "@pilothouse/api"
import { replicaSets } from "@pilothouse/api/apps/v1"
import { serviceAccounts } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { explain } from "./explain.ts"
import { connectedCluster } from "./testing/connection.ts"

const metadata = { name: "one", namespace: "default" }
const labels = { app: "one" }
const selector = { matchLabels: labels }
const containers = [{ name: "a", image: "a", resources: { requests: { cpu: "100m" } } }]
const template = { metadata: { labels }, spec: { containers } }
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }

/** What people write by hand; a cluster makes the other kinds itself. */
const written: readonly (KubeObject & { readonly spec?: object })[] = [
  { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { selector, template } },
  { apiVersion: "apps/v1", kind: "StatefulSet", metadata, spec: { serviceName: "one", selector, template } },
  { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: { selector, template } },
  { apiVersion: "v1", kind: "ReplicationController", metadata, spec: { selector: labels, template } },
  { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template: { spec: { restartPolicy: "Never", containers } } } },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata,
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers } } } } },
  },
  { apiVersion: "v1", kind: "Service", metadata, spec: { type: "LoadBalancer", selector: labels, ports: [{ port: 80 }] } },
  { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: claim },
  { apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard: { pods: "100" } } },
  { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: { minAvailable: 1, selector } },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "one" }, maxReplicas: 3 },
  },
]

test("every kind of which a cluster has an object can be explained", async () => {
  await using connection = await connectedCluster({ nodes: 1 })
  const { client, cluster } = connection
  for (const object of written) await cluster.apply(object)
  const made = async () => (await client.list(replicaSets)).items.length * (await client.list(serviceAccounts)).items.length
  await expect.poll(made).toBeGreaterThan(0)
  const explained: string[] = []
  for (const of of await client.resources()) {
    if (!of.verbs.includes("list") || !of.verbs.includes("get")) continue
    const [first] = (await client.list(of)).items
    if (first === undefined) continue
    const { name = "", namespace = "default" } = first.metadata
    const word = of.group === "" ? of.plural : `${of.plural}.${of.group}`
    const text = await explain({ ...connection, namespace }, [word, name])
    expect(text, word).toMatch(/^Now\n {2}\S/m)
    expect(text, word).not.toMatch(/undefined|NaN|\[object/)
    explained.push(of.kind)
  }
  expect(explained).toEqual(
    expect.arrayContaining([...written.map(({ kind }) => kind), "Node", "Namespace", "ServiceAccount", "ReplicaSet"]),
  )
})

test("a controller is named as --controllers knows it", async () => {
  await using connection = await connectedCluster({ nodes: 0 })
  await connection.cluster.apply({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: claim } as KubeObject)
  expect(await explain(connection, ["pvc/one"])).toContain(
    "persistentvolume-provisioner-controller, part of persistentvolume-binder-controller: ",
  )
})
