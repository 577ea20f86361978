import { conflict, controllerOf, forbidden, type KubeObject } from "@pilothouse/api"
import { controllerRevisions, statefulSets } from "@pilothouse/api/apps/v1"
import { namespaces, type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { breaking } from "../controller-revisions/testing/breaking-watch.ts"
import { costOf } from "../controller-revisions/testing/write-cost.ts"
import { doubling, held, noting, refusing } from "../testing/layers.ts"
import { bindsClaims, claimed, db, get, owned, placed, told } from "./testing/cluster.ts"
import { parallel } from "./testing/objects.ts"

const only = { controllers: ["statefulset"], nodes: 2, extra: () => [bindsClaims()] }
const three = ["db-0 1", "db-1 1", "db-2 1"]

describe("a StatefulSet", () => {
  test("gets its pods one after another, each with its claim and an event", async () => {
    await using running = await cluster(only)
    await running.apply(db(3, 1, { minReadySeconds: 10 }))
    await running.advance("5s")
    expect(await placed(running)).toEqual(["db-0 1"])
    await running.advance("10s")
    expect(await placed(running)).toEqual(["db-0 1", "db-1 1"])
    await running.advance("1m")
    expect(await placed(running)).toEqual(three)
    expect(await claimed(running)).toEqual(["data-db-0", "data-db-1", "data-db-2"])
    const { currentRevision, updateRevision, ...counts } = (await get(running)).status ?? {}
    expect(counts).toEqual({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      collisionCount: 0,
      observedGeneration: 1,
    })
    expect(currentRevision).toBe(updateRevision)
    expect(await told(running)).toEqual(
      expect.arrayContaining([
        "statefulset-controller SuccessfulCreate: Create Claim data-db-0 Pod db-0 in StatefulSet db success",
        "statefulset-controller SuccessfulCreate: Create Pod db-2 in StatefulSet db successful",
      ]),
    )
  })

  test("gives a pod that is deleted or fails its name and its claim again", async () => {
    await using running = await cluster(only)
    await running.apply(db(2))
    await running.settled()
    const before = await owned(running)
    const claims = (await running.list(persistentVolumeClaims)).map(({ metadata }) => metadata.uid)
    await running.client.delete(pods, before[0]!)
    await running.client.patch(pods, before[1]!, { status: { phase: "Failed" } }, { subresource: "status" })
    await running.settled()
    const after = await owned(running)
    expect(after.map(({ metadata }) => metadata.name)).toEqual(["db-0", "db-1"])
    expect(after.some(({ metadata }) => before.some((pod) => pod.metadata.uid === metadata.uid))).toBe(false)
    expect((await running.list(persistentVolumeClaims)).map(({ metadata }) => metadata.uid)).toEqual(claims)
  })

  test("scales down from the end and keeps the claims; in parallel all come and go together", async () => {
    await using running = await cluster(only)
    await running.apply(db(3, 1, parallel))
    await running.settled()
    expect(await placed(running)).toEqual(three)
    await running.apply(db(1, 1, parallel))
    await running.settled()
    expect(await placed(running)).toEqual(["db-0 1"])
    expect(await claimed(running)).toHaveLength(3)
    expect((await get(running)).status).toMatchObject({ replicas: 1, availableReplicas: 1, observedGeneration: 2 })
  })

  test("restores a removed label, and another first ordinal moves the pods", async () => {
    await using running = await cluster(only)
    await running.apply(db(2))
    await running.settled()
    await running.client.patch(pods, "default/db-0", { metadata: { labels: { "statefulset.kubernetes.io/pod-name": null } } })
    await running.settled()
    expect((await running.client.get(pods, "default/db-0")).metadata.labels).toMatchObject({ "statefulset.kubernetes.io/pod-name": "db-0" })
    await running.apply(db(2, 1, { ordinals: { start: 1 } }))
    await running.settled()
    expect(await placed(running)).toEqual(["db-1 1", "db-2 1"])
  })
})

describe("a new template", () => {
  test("is rolled out down to the partition, completed without it, and rolled back", async () => {
    await using running = await cluster(only)
    const partition = (to: number) => ({ updateStrategy: { type: "RollingUpdate" as const, rollingUpdate: { partition: to } } })
    await running.apply(db(3))
    await running.settled()
    const first = (await get(running)).status?.currentRevision
    await running.apply(db(3, 2, partition(2)))
    await running.settled()
    expect(await placed(running)).toEqual(["db-0 1", "db-1 1", "db-2 2"])
    // Below the partition a pod comes back as it was.
    await running.client.delete(pods, "default/db-1")
    await running.settled()
    expect(await placed(running)).toEqual(["db-0 1", "db-1 1", "db-2 2"])
    expect((await get(running)).status).toMatchObject({ currentRevision: first, currentReplicas: 2, updatedReplicas: 1 })
    await running.apply(db(3, 2, partition(0)))
    await running.settled()
    expect(await placed(running)).toEqual(["db-0 2", "db-1 2", "db-2 2"])
    await running.apply(db(3, 1, partition(0)))
    await running.settled()
    expect(await placed(running)).toEqual(three)
    expect((await get(running)).status).toMatchObject({ currentRevision: first, updateRevision: first })
    expect((await running.list(controllerRevisions)).map(({ revision }) => revision).sort()).toEqual([2, 3])
  })

  test("OnDelete waits for people", async () => {
    await using running = await cluster(only)
    await running.apply(db(2, 1, { updateStrategy: { type: "OnDelete" } }))
    await running.settled()
    await running.apply(db(2, 2, { updateStrategy: { type: "OnDelete" } }))
    await running.settled()
    expect(await placed(running)).toEqual(["db-0 1", "db-1 1"])
    await running.client.delete(pods, "default/db-0")
    await running.settled()
    expect(await placed(running)).toEqual(["db-0 2", "db-1 1"])
  })
})

describe("retention of claims", () => {
  const withGc = { ...only, controllers: ["statefulset", "garbage-collector"] }
  const policy = (whenScaled: "Retain" | "Delete", whenDeleted: "Retain" | "Delete") => ({
    persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
  })

  test("a claim goes with the pod that was scaled away, and a new one comes with its successor", async () => {
    await using running = await cluster(withGc)
    await running.apply(db(3, 1, policy("Delete", "Retain")))
    await running.advance("1m")
    const before = (await running.list(persistentVolumeClaims)).map(({ metadata }) => metadata.uid)
    await running.apply(db(1, 1, policy("Delete", "Retain")))
    await running.advance("1m")
    expect(await claimed(running)).toEqual(["data-db-0"])
    await running.apply(db(2, 1, policy("Delete", "Retain")))
    await running.advance("1m")
    expect(await claimed(running)).toEqual(["data-db-0", "data-db-1"])
    expect((await running.list(persistentVolumeClaims)).filter(({ metadata }) => before.includes(metadata.uid))).toHaveLength(1)
  })

  test("claims go with the set, or stay", async () => {
    for (const whenDeleted of ["Delete", "Retain"] as const) {
      await using running = await cluster(withGc)
      await running.apply(db(2, 1, policy("Retain", whenDeleted)))
      await running.advance("1m")
      await running.client.delete(statefulSets, "default/db")
      await running.advance("1m")
      expect(await owned(running)).toEqual([])
      expect(await claimed(running)).toEqual(whenDeleted === "Delete" ? [] : ["data-db-0", "data-db-1"])
    }
  })

  test("a claim that goes while its pod is missing is recreated when it is gone, without asking on and on", async () => {
    const writes: string[] = []
    await using running = await cluster({ ...only, layer: noting(writes) })
    const claim = { ...db(1).spec!.volumeClaimTemplates![0]!, metadata: { name: "data-db-0", finalizers: ["example.com/wait"] } }
    await running.apply(claim)
    await running.client.delete(persistentVolumeClaims, "default/data-db-0")
    await running.apply(db(1))
    await running.advance("10m")
    expect(await owned(running)).toEqual([])
    expect(await told(running)).toContain(
      "statefulset-controller FailedCreate: Create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted",
    )
    expect(writes.filter((write) => write.includes("statefulsets") || write.endsWith("/pods")).length).toBeLessThanOrEqual(1)
    await running.client.patch(persistentVolumeClaims, "default/data-db-0", { metadata: { finalizers: null } })
    await running.settled()
    expect(await placed(running)).toEqual(["db-0 1"])
    expect(await claimed(running)).toEqual(["data-db-0"])
  })
})

describe("adoption", () => {
  const orphan = (name: string): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "db" } },
    spec: db(1).spec!.template.spec,
  })

  test("adopts pods of its name, and no others; releases what does not match (GetPodsForStatefulSetAdopt, …Release)", async () => {
    await using running = await cluster(only)
    const bare = { volumeClaimTemplates: [] }
    for (const name of ["db-0", "db-extra", "other-0"]) await running.apply(orphan(name))
    await running.apply(db(2, 1, bare))
    await running.settled()
    const owners = Object.fromEntries((await running.list(pods)).map((pod) => [pod.metadata.name, controllerOf(pod)?.name]))
    expect(owners).toEqual({ "db-0": "db", "db-1": "db", "db-extra": undefined, "other-0": undefined })
    await running.client.patch(pods, "default/db-1", { metadata: { labels: { app: "debug" } } })
    await running.advance("10s")
    // Its name is still taken: nothing can come in its place, and that is said.
    expect(controllerOf(await running.client.get(pods, "default/db-1"))).toBeUndefined()
    await running.client.delete(pods, "default/db-1")
    await running.advance("1m")
    expect(await placed(running)).toEqual(["db-0 1", "db-1 1"])
  })

  test("a new set of the same name takes over pods, claims and revisions (AdoptOrphanRevisions)", async () => {
    await using running = await cluster(only)
    await running.apply(db(2))
    await running.settled()
    const before = (await owned(running)).map(({ metadata }) => metadata.uid)
    await running.client.delete(statefulSets, "default/db")
    for (const pod of await running.list(pods)) await running.client.patch(pods, pod, { metadata: { ownerReferences: null } })
    for (const one of await running.list(controllerRevisions)) {
      await running.client.patch(controllerRevisions, one, { metadata: { ownerReferences: null } })
    }
    await running.apply(db(2))
    await running.settled()
    const { uid } = (await get(running)).metadata
    expect((await owned(running)).map(({ metadata }) => metadata.uid)).toEqual(before)
    expect((await running.list(controllerRevisions)).map((one) => controllerOf(one)?.uid)).toEqual([uid])
  })
})

describe("what goes wrong", () => {
  test("with a lagging cache no pod is created twice and none is skipped", async () => {
    const late = held("pods")
    await using running = await cluster({ ...only, layer: late.layer })
    late.hold()
    await running.apply(db(3))
    await running.settled()
    await running.apply({ ...db(3), metadata: { name: "db", annotations: { wake: "up" } } })
    await running.advance("10s")
    expect(await running.list(pods)).toHaveLength(1)
    late.release()
    await running.settled()
    expect(await placed(running)).toEqual(three)
  })

  test("events that come twice change nothing", async () => {
    await using running = await cluster({ ...only, layer: doubling() })
    await running.apply(db(3))
    await running.settled()
    await running.apply(db(2, 2))
    await running.settled()
    expect(await placed(running)).toEqual(["db-0 2", "db-1 2"])
  })

  test("events that are lost are made up for", async () => {
    await using running = await cluster({ ...only, layer: breaking() })
    await running.apply(db(3))
    await running.advance("5m")
    await running.apply(db(2, 2))
    await running.advance("10m")
    expect(await placed(running)).toEqual(["db-0 2", "db-1 2"])
  })

  test("refused pods are retried with backoff and events; the status stays current", async () => {
    let [tries, full] = [0, true]
    const quota = forbidden(pods, "", "exceeded quota: pods")
    const layer = refusing(({ verb, path }) => (full && verb === "POST" && path.endsWith("/pods") && ++tries > 0 ? quota : undefined))
    await using running = await cluster({ ...only, layer })
    await running.apply(db(2))
    await running.advance("10s")
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThan(20)
    expect((await get(running)).status).toMatchObject({ replicas: 0, observedGeneration: 1 })
    expect(
      (await told(running)).filter((event) => event.includes("FailedCreate: Create Pod db-0 in StatefulSet db failed error")),
    ).not.toEqual([])
    full = false
    await running.advance("1m")
    expect(await placed(running)).toEqual(["db-0 1", "db-1 1"])
  })

  test("a refused claim keeps its pod away", async () => {
    let full = true
    const quota = forbidden(persistentVolumeClaims, "data-db-0", "exceeded quota: storage")
    const layer = refusing(({ verb, path }) => (full && verb === "POST" && path.endsWith("claims") ? quota : undefined))
    await using running = await cluster({ ...only, layer })
    await running.apply(db(1))
    await running.advance("10s")
    expect(await owned(running)).toEqual([])
    expect((await told(running)).filter((event) => event.includes("failed to create PVC data-db-0"))).not.toEqual([])
    full = false
    await running.advance("1m")
    expect(await placed(running)).toEqual(["db-0 1"])
  })

  test("a conflict in the status is looked at again (StatefulSetStatusUpdaterUpdateReplicasConflict)", async () => {
    let conflicts = 2
    const layer = refusing(({ verb, path }) =>
      verb === "PUT" && path.endsWith("statefulsets/db/status") && conflicts-- > 0 ? conflict(statefulSets, "db") : undefined,
    )
    await using running = await cluster({ ...only, layer })
    await running.apply(db(2))
    await running.settled()
    expect((await get(running)).status).toMatchObject({ availableReplicas: 2, observedGeneration: 1 })
  })

  test("a namespace that goes away is not fought", async () => {
    const writes: string[] = []
    await using running = await cluster({ ...only, layer: noting(writes) })
    const space: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } }
    await running.apply(space)
    await running.apply({ ...db(3), metadata: { name: "db", namespace: "leaving" } })
    await running.settled()
    await running.client.delete(namespaces, space)
    for (const pod of await running.list(pods)) await running.client.delete(pods, pod)
    writes.length = 0
    await running.advance("10m")
    expect(writes.filter((write) => write.endsWith("/namespaces/leaving/pods")).length).toBeLessThanOrEqual(4)
    expect((await told(running)).filter((event) => event.includes("FailedCreate"))).toEqual([])
  })
})

describe("few writes", () => {
  test("create, scale and update cost what they must", async () => {
    const writes: string[] = []
    await using running = await cluster({ ...only, layer: noting(writes) })
    const cost = async (change: Promise<unknown>) => {
      writes.length = 0
      await change
      await running.advance("1m")
      return costOf(writes)
    }
    // A revision, three claims and three pods; the status remembers the revision, then a pod is there, or ready.
    const created = await cost(running.apply(db(3)))
    expect(created.objects).toBe(1 + 3 * 2)
    expect(created.statuses).toBeLessThanOrEqual(1 + 3 * 2)
    const untouched = await cost(running.apply({ ...db(3), metadata: { name: "db", annotations: { note: "nothing to do" } } }))
    expect(untouched).toEqual({ objects: 0, statuses: 0 })
    const up = await cost(running.apply(db(4)))
    expect(up.objects).toBe(2)
    expect(up.statuses).toBeLessThanOrEqual(2)
    // On its way out, gone.
    const down = await cost(running.apply(db(3)))
    expect(down.objects).toBe(1)
    expect(down.statuses).toBeLessThanOrEqual(2)
    // A revision; each pod goes and comes: on its way out, there, ready; then the new revision is the current one.
    const updated = await cost(running.apply(db(3, 2)))
    expect(updated.objects).toBe(1 + 3 * 2)
    expect(updated.statuses).toBeLessThanOrEqual(1 + 3 * 3)
    expect(await cost(Promise.resolve())).toEqual({ objects: 0, statuses: 0 })
  })
})

test("whichever API call the controllers crash at, the end is the same", async () => {
  const scenario = {
    cluster: only,
    async run(running: Cluster) {
      await running.apply(db(3))
      await running.advance("20s")
      await running.apply(db(3, 2))
      await running.advance("20s")
      await running.apply(db(2, 2))
      await running.advance("20s")
    },
    end: async (running: Cluster) => [
      await placed(running),
      await claimed(running),
      (await get(running)).status,
      (await running.list(controllerRevisions)).map(({ metadata, revision }) => [metadata.name, revision]),
    ],
  }
  expect(await crashPoints(scenario, { sample: 10, seed: 7, writers: ["statefulset-controller"] })).toMatchObject({ tried: 10 })
})
