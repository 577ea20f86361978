import { forbidden, invalid, type StatusError, serviceUnavailable, unexpectedResponse } from "@pilothouse/api"
import { type CronJob, cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { type ConfigMap, configMaps, events, namespaces, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import type { TransportRequest } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { end, endAll, forEver, livePods, statusOf, work } from "../../job/testing/cluster.ts"
import { claim } from "../../persistent-volume/testing/cluster.ts"
import { podWith } from "../../persistent-volume/testing/objects.ts"
import { bindsClaims, db, placed } from "../../statefulset/testing/cluster.ts"
import { parallel } from "../../statefulset/testing/objects.ts"
import { refusing } from "../layers.ts"

/** Whatever one object is refused, for ever: the others go on. */
function start(options: ClusterOptions, isRefused: (request: TransportRequest) => boolean, refusal?: StatusError): Promise<Cluster> {
  const no = refusal ?? forbidden({ group: "", plural: "objects" }, "it", "not while I am on watch")
  return cluster({ ...options, layer: refusing((request) => (isRefused(request) ? no : undefined)) })
}

describe("a CronJob whose Jobs cannot be deleted", () => {
  const every5 = (schedule = "*/5 * * * *"): CronJob => {
    const template = { spec: { restartPolicy: "Never" as const, containers: [forEver] } }
    const spec = { schedule, successfulJobsHistoryLimit: 0, jobTemplate: { spec: { template } } }
    return { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "tick" }, spec }
  }
  const withoutDeletes = () => start({ controllers: ["cronjob", "job"] }, ({ verb, path }) => verb === "DELETE" && path.includes("/jobs/"))

  async function oneRun(running: Cluster): Promise<void> {
    await running.advance("5m")
    await running.advance("2s")
    await endAll(running)
    await running.advance("2s")
  }

  test("starts the next ones all the same, and reports those that ended", async () => {
    await using running = await withoutDeletes()
    await running.apply(every5())
    for (let run = 0; run < 3; run++) await oneRun(running)
    expect(await running.list(jobs)).toHaveLength(3)
    const reasons = (await running.list(events))
      .filter(({ involvedObject }) => involvedObject.kind === "CronJob")
      .map(({ reason }) => reason)
    expect(new Set(reasons)).toEqual(new Set(["SuccessfulCreate", "SawCompletedJob", "FailedDelete"]))
  })

  test("follows another schedule, and does not begin with the time that is just over", async () => {
    await using running = await withoutDeletes()
    await running.apply(every5())
    await oneRun(running)
    await running.client.patch(cronJobs, "default/tick", { spec: { schedule: "1-59/10 * * * *" } })
    await running.advance("5m")
    expect(await running.list(jobs)).toHaveLength(1)
    await running.advance("1m")
    expect(await running.list(jobs)).toHaveLength(2)
  })
})

describe("a StatefulSet whose claims 4 and 5 are refused", () => {
  const six = () => db(6, 1, parallel)
  const options = { controllers: ["statefulset"], nodes: 2, extra: () => [bindsClaims()] }
  const isOfLast = (body: unknown) => /-[45]"/.test(JSON.stringify(body ?? ""))
  const withoutClaims = () =>
    start(options, ({ verb, path, body }) => verb === "POST" && path.endsWith("/persistentvolumeclaims") && isOfLast(body))
  const four = ["db-0 1", "db-1 1", "db-2 1", "db-3 1"]

  test("gets the pods of the others", async () => {
    await using running = await withoutClaims()
    await running.apply(six())
    await running.advance("1m")
    expect(await placed(running)).toEqual(four)
  })

  test("gets those again that fail, and loses those that are too many", async () => {
    await using running = await withoutClaims()
    await running.apply(db(4, 1, parallel))
    await running.advance("10s")
    await running.apply(six())
    await running.advance("1m")
    const before = (await running.client.get(pods, "default/db-1")).metadata.uid
    await running.client.patch(pods, "default/db-1", { status: { phase: "Failed" } }, { subresource: "status" })
    await running.advance("20m")
    expect(await placed(running)).toEqual(four)
    expect((await running.client.get(pods, "default/db-1")).metadata.uid).not.toBe(before)
    await running.apply(db(4, 1, { ...parallel, ordinals: { start: 2 } }))
    await running.advance("20m")
    expect(await placed(running)).toEqual(["db-2 1", "db-3 1"])
  })
})

describe("a Job", () => {
  const job = { controllers: ["job"], nodes: 1 }

  test("that cannot release one of its pods starts all others, and counts them", async () => {
    let stuck = "no-pod"
    await using running = await start(job, ({ verb, path }) => verb === "PATCH" && path.endsWith(`/${stuck}`))
    await running.apply(work({ parallelism: 1, completions: 4 }))
    for (let run = 0; run < 4; run++) {
      await running.advance("20m")
      if (run === 0) stuck = (await livePods(running))[0]?.metadata.name ?? ""
      await endAll(running)
    }
    await running.advance("20m")
    const { succeeded, uncountedTerminatedPods } = await statusOf(running)
    expect([succeeded, uncountedTerminatedPods?.succeeded?.length]).toEqual([3, 1])
    expect((await running.list(pods)).map(({ status }) => status?.phase)).toEqual(Array.from({ length: 4 }, () => "Succeeded"))
  })

  test("that ends and cannot stop one of its pods releases all others, and counts none as failed that runs", async () => {
    let stuck = "no-pod"
    await using running = await start(job, ({ verb, path }) => verb === "DELETE" && path.endsWith(`/${stuck}`))
    await running.apply(work({ parallelism: 4, completions: 4, backoffLimit: 0 }))
    await running.advance("5s")
    const [first, second] = await livePods(running)
    stuck = second?.metadata.name ?? ""
    await end(running, first!, 1)
    await running.advance("20m")
    expect((await livePods(running)).map(({ metadata }) => metadata.name)).toEqual([stuck])
    expect(await statusOf(running)).toMatchObject({ active: 1, failed: 3, terminating: 0, uncountedTerminatedPods: {} })
    stuck = "no-pod"
    await running.advance("20m")
    const status = await statusOf(running)
    expect([status.failed, status.active, status.conditions?.at(-1)?.type]).toEqual([4, undefined, "Failed"])
  })

  test("with too many pods of which one cannot be released: the others go", async () => {
    let stuck = "no-pod"
    await using running = await start(job, ({ verb, path }) => verb === "PATCH" && path.endsWith(`/${stuck}`))
    await running.apply(work({ parallelism: 3, completions: 9 }))
    await running.advance("5s")
    stuck = (await livePods(running))[0]?.metadata.name ?? ""
    await running.client.patch(jobs, "default/work", { spec: { suspend: true } })
    await running.advance("20m")
    expect((await livePods(running)).map(({ metadata }) => metadata.name)).toEqual([stuck])
  })
})

test("a namespace whose pods cannot be listed: nothing else is deleted, as pods may need it to end well", async () => {
  let isDown = true
  const options = { controllers: ["namespace"] }
  const isList = ({ verb, path }: TransportRequest) => isDown && verb === "GET" && path.endsWith("/shop/pods")
  await using running = await start(options, isList, serviceUnavailable("not now"))
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
  await running.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "needed", namespace: "shop" } })
  await running.client.delete(namespaces, "shop")
  await running.advance("10m")
  expect((await running.list(configMaps, { namespace: "shop" })).map(({ metadata }) => metadata.name)).toContain("needed")
  const { status } = await running.client.get(namespaces, "shop")
  expect(status?.conditions?.find(({ type }) => type === "NamespaceDeletionContentFailure")).toMatchObject({ status: "True" })
  isDown = false
  await running.advance("10m")
  expect((await running.list(namespaces)).map(({ metadata }) => metadata.name)).not.toContain("shop")
})

test("a claim whose status is refused is protected all the same", async () => {
  const options = { controllers: ["pvc-protection"] }
  await using running = await start(options, ({ verb, path }) => verb !== "GET" && path.endsWith("/data/status"))
  await running.apply(podWith("web", "data", { node: "node-1" }))
  await running.apply(claim("data"))
  await running.client.patch(persistentVolumeClaims, "default/data", { status: { phase: "Bound" } }, { subresource: "status" })
  await running.client.patch(persistentVolumeClaims, "default/data", { metadata: { finalizers: null } })
  await running.advance("10m")
  expect((await running.client.get(persistentVolumeClaims, "default/data")).metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"])
})

test("an owner whose resource no server answers for keeps what it owns", async () => {
  const noSuchPage = unexpectedResponse({ code: 404, method: "GET", body: "404 page not found" })
  const options = { controllers: ["garbage-collector"] }
  await using running = await start(options, ({ path }) => path.endsWith("/secrets/owner"), noSuchPage)
  const reference = { apiVersion: "v1", kind: "Secret", name: "owner", uid: "uid-owner" }
  await running.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "kept", namespace: "default", ownerReferences: [reference] },
  })
  await running.advance("20m")
  expect((await running.list(configMaps, { namespace: "default" })).map(({ metadata }) => metadata.name)).toContain("kept")
})

test("what an owner is to leave behind, and a policy keeps as it is: the owner stays, and it is not collected", async () => {
  let isKept = true
  const no = invalid({ group: "", kind: "ConfigMap" }, "kept", [{ reason: "FieldValueInvalid", field: "metadata", message: "keep it" }])
  const options = { controllers: ["garbage-collector"], nodes: 0 }
  await using running = await start(options, ({ verb, path }) => isKept && verb === "PATCH" && path.endsWith("/configmaps/kept"), no)
  const owner = await running.apply<ConfigMap>({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner" } })
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid! }]
  await running.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kept", ownerReferences } })
  await running.settled()
  await running.client.delete(configMaps, "default/owner", { propagationPolicy: "Orphan" })
  const there = async () => (await running.list(configMaps, { namespace: "default" })).map(({ metadata }) => metadata.name)
  await running.advance("20m")
  expect(await there()).toEqual(expect.arrayContaining(["kept", "owner"]))
  isKept = false
  await running.advance("20m")
  expect(await there()).toContain("kept")
  expect(await there()).not.toContain("owner")
})
