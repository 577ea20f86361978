import type { KubeObject } from "@pilothouse/api"
import { daemonSets, deployments, statefulSets } from "@pilothouse/api/apps/v1"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { namespaces, persistentVolumeClaims, persistentVolumes, pods, resourceQuotas, secrets } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import type { Cluster, ClusterOptions } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { namespace, oneOfEverything } from "./everything.ts"
import { allIsThere, contentOf, isGone, isSized, made, root, start } from "./everything-cluster.ts"

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
  expect(claims.map(({ status }) => status?.phase)).toEqual(Array(6).fill("Bound"))
  expect((await running.list(endpointSlices, { namespace })).flatMap(({ endpoints }) => endpoints ?? [])).toHaveLength(5)
  const live = (await running.list(pods, { namespace })).filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
  expect((await get(resourceQuotas, "quota")).status?.used).toMatchObject({ pods: String(live.length), "requests.storage": "6Mi" })
}

/** Everything is everything that the server has: who teaches it another kind finds it missing here. */
async function isOneOfEachKind(running: Cluster): Promise<void> {
  const { resources } = await running.client.discover()
  const kinds = resources.filter(
    ({ namespaced, verbs }) => namespaced && ["create", "list", "delete"].every((verb) => verbs.includes(verb)),
  )
  expect(kinds.length).toBeGreaterThan(30)
  const counts = await Promise.all(kinds.map(async (of) => ({ kind: of.kind, count: (await running.list(of, { namespace })).length })))
  expect(counts.filter(({ count }) => count === 0)).toEqual([])
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
  await isOneOfEachKind(running)
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
  // Those that were there before their claims are retained.
  expect((await running.list(persistentVolumes)).map(({ metadata }) => metadata.name)).toEqual(["attached", "expanded"])
  expect(files.list(root)).toEqual([])
  expect(await contentOf(running, "default")).toEqual(before)
})
