import type { KubeObject } from "@pilothouse/api"
import { daemonSets, deployments, statefulSets } from "@pilothouse/api/apps/v1"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { namespaces, persistentVolumeClaims, persistentVolumes, pods, resourceQuotas, secrets } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { type Files, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { namespace, oneOfEverything, surroundings } from "./test-everything.ts"

const root = "/srv/volumes"

/** Every loop there is, with all that they need. */
async function start(files: Files, options: ClusterOptions = {}): Promise<Cluster> {
  return cluster({
    nodes: 2,
    needs: { files, volumeRoot: root, rootCa: "CA" },
    settings: { "enable-hostpath-provisioner": true },
    ...options,
  })
}

/** "deployments.apps web": whatever there is in a namespace, Events left out. */
async function contentOf(running: Cluster, where: string): Promise<readonly string[]> {
  const { resources } = await running.client.discover()
  const kinds = resources.filter(({ namespaced, verbs, kind }) => namespaced && verbs.includes("list") && kind !== "Event")
  const lists = await Promise.all(
    kinds.map(async (of) =>
      (await running.list(of, { namespace: where })).map(({ metadata }) => `${of.plural}.${of.group} ${metadata.name}`),
    ),
  )
  return lists.flat().sort()
}

async function podsOf(running: Cluster, app: string): Promise<readonly string[]> {
  const all = await running.list(pods, { namespace, labelSelector: `app=${app}` })
  return all.map(({ status, spec }) => `${status?.phase} ${spec?.containers[0]?.image}`).sort()
}

async function allIsThere(running: Cluster, replicas: number, image: string): Promise<void> {
  const up = `Running ${image}`
  expect(await podsOf(running, "deployment")).toEqual(Array(replicas).fill(up))
  expect(await podsOf(running, "stateful")).toEqual(Array(replicas).fill(up))
  expect(await podsOf(running, "daemon")).toEqual(Array(2).fill(up))
  expect(await podsOf(running, "replicaset")).toHaveLength(replicas)
  expect(await podsOf(running, "controller")).toHaveLength(replicas)
  expect(await podsOf(running, "scaled")).toHaveLength(3)
}

async function everyoneDidTheirPart(running: Cluster): Promise<void> {
  const get = <T extends KubeObject>(of: Parameters<typeof running.client.get<T>>[0], name: string) =>
    running.client.get(of, `${namespace}/${name}`)
  expect((await get(deployments, "deployment")).status).toMatchObject({ availableReplicas: 2 })
  expect((await get(statefulSets, "stateful")).status).toMatchObject({ availableReplicas: 2 })
  expect((await get(daemonSets, "daemon")).status).toMatchObject({ numberAvailable: 2 })
  expect((await get(jobs, "job")).status).toMatchObject({ succeeded: 3 })
  expect((await running.list(jobs, { namespace })).map(({ metadata }) => metadata.name)).not.toContain("job-with-an-end")
  expect((await get(cronJobs, "cronjob")).status?.lastSuccessfulTime).toBeDefined()
  expect((await get(podDisruptionBudgets, "budget")).status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 })
  expect((await get(secrets, "token")).data).toHaveProperty("token")
  const claims = await running.list(persistentVolumeClaims, { namespace })
  expect(claims.map(({ status }) => status?.phase)).toEqual(Array(4).fill("Bound"))
  expect((await running.list(endpointSlices, { namespace })).flatMap(({ endpoints }) => endpoints ?? [])).toHaveLength(4)
  const live = (await running.list(pods, { namespace })).filter(({ status }) => status?.phase === "Running")
  expect((await get(resourceQuotas, "quota")).status?.used).toMatchObject({ pods: String(live.length), "requests.storage": "4Mi" })
}

async function made(running: Cluster): Promise<void> {
  for (const object of [...surroundings, ...oneOfEverything()]) await running.apply(object)
  await running.advance("3m")
}

async function isGone(running: Cluster): Promise<boolean> {
  return !(await running.list(namespaces)).some(({ metadata }) => metadata.name === namespace)
}

test.each<[name: string, options: ClusterOptions]>([
  ["values shared in process", {}],
  ["every body through JSON", { throughJson: true }],
])("a namespace with one of everything is made, scaled, updated and deleted, and nothing is left, %s", async (_name, options) => {
  const files = virtualFiles(new VirtualClock())
  await using running = await start(files, options)
  await running.advance("10s")
  const before = await contentOf(running, "default")
  await made(running)
  await allIsThere(running, 2, "example/web:1")
  await everyoneDidTheirPart(running)
  expect(files.list(root)).toHaveLength(4)

  for (const object of oneOfEverything({ replicas: 4 }).filter(isSized)) await running.apply(object)
  await running.advance("2m")
  await allIsThere(running, 4, "example/web:1")

  for (const object of oneOfEverything({ replicas: 4, image: "example/web:2" }).filter(isSized)) await running.apply(object)
  await running.advance("3m")
  await allIsThere(running, 4, "example/web:2")

  await running.client.delete(namespaces, namespace)
  await running.until(() => isGone(running))
  expect(await contentOf(running, namespace)).toEqual([])
  await running.advance("2m")
  expect(await running.list(persistentVolumes)).toEqual([])
  expect(files.list(root)).toEqual([])
  expect(await contentOf(running, "default")).toEqual(before)
})

/** What can be scaled or given an image; the rest is not changed again. */
function isSized({ kind }: KubeObject): boolean {
  return ["Deployment", "ReplicaSet", "ReplicationController", "DaemonSet", "StatefulSet"].includes(kind)
}
