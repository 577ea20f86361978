import { conflict, controllerOf, forbidden, type KubeObject } from "@pilothouse/api"
import { type ReplicaSet, replicaSets } from "@pilothouse/api/apps/v1"
import { events, namespaces, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { doubling, held, losingDeletion, noting, refusing } from "../testing/layers.ts"

const only = { controllers: ["replicaset"], nodes: 2 }

function web(replicas: number, more: Partial<ReplicaSet["spec"]> = {}, name = "web"): ReplicaSet {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template, ...more },
  }
}

function bare(name: string, labels: Readonly<Record<string, string>>, metadata: Partial<Pod["metadata"]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels, ...metadata },
    spec: { containers: [{ name: "web", image: "example/web:1" }] },
  }
}

async function owners(running: Cluster): Promise<Record<string, string>> {
  const all = await running.list(pods)
  return Object.fromEntries(all.map((pod) => [pod.metadata.name, controllerOf(pod)?.name ?? "none"]))
}

async function ownedPods(running: Cluster, owner = "web"): Promise<number> {
  return Object.values(await owners(running)).filter((name) => name === owner).length
}

async function get(running: Cluster): Promise<ReplicaSet> {
  return running.client.get(replicaSets, "default/web")
}

async function told(running: Cluster): Promise<readonly string[]> {
  return (await running.list(events))
    .filter(({ involvedObject }) => involvedObject.kind === "ReplicaSet")
    .map(({ reason, source }) => `${source?.component} ${reason}`)
}

describe("a ReplicaSet", () => {
  test("gets its pods, records an event for each, and counts their state", async () => {
    await using running = await cluster(only)
    await running.apply(web(3))
    await running.settled()
    expect(await ownedPods(running)).toBe(3)
    expect((await get(running)).status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    })
    expect(await told(running)).toEqual(Array.from({ length: 3 }, () => "replicaset-controller SuccessfulCreate"))
  })

  test("replaces what fails or is deleted, and lets surplus go", async () => {
    await using running = await cluster(only)
    await running.apply(web(3))
    await running.settled()
    const [first, second] = await running.list(pods)
    await running.client.delete(pods, first!)
    await running.client.patch(pods, second!, { status: { phase: "Failed" } }, { subresource: "status" })
    await running.settled()
    expect(await ownedPods(running)).toBe(4)
    await running.apply(web(1))
    await running.settled()
    expect((await get(running)).status).toMatchObject({ replicas: 1, availableReplicas: 1, observedGeneration: 2 })
    expect(await told(running)).toContain("replicaset-controller SuccessfulDelete")
  })

  test("counts a pod as available the very moment it has been ready for long enough", async () => {
    await using running = await cluster(only)
    await running.apply(web(1, { minReadySeconds: 30 }))
    await running.advance("29s")
    expect((await get(running)).status).toMatchObject({ readyReplicas: 1 })
    expect((await get(running)).status?.availableReplicas).toBeUndefined()
    await running.advance("1s")
    expect((await get(running)).status?.availableReplicas).toBe(1)
  })

  test("writes nothing once the status is current", async () => {
    const writes: string[] = []
    await using running = await cluster({ ...only, layer: noting(writes) })
    await running.apply(web(2))
    await running.settled()
    const ofController = writes.filter((write) => write.includes("/replicasets/"))
    // Generation seen, pods there, pods ready: three states, three writes at most.
    expect(ofController.length).toBeLessThanOrEqual(3)
    await running.apply({ ...web(2), metadata: { name: "web", annotations: { note: "nothing to do" } } })
    await running.settled()
    expect(writes.filter((write) => write.includes("/replicasets/"))).toEqual(ofController)
  })
})

describe("adoption", () => {
  test("orphans that match become its own, and only the rest is made", async () => {
    await using running = await cluster(only)
    await running.apply(bare("orphan", { app: "web" }))
    await running.apply(bare("stranger", { app: "db" }))
    await running.settled()
    await running.apply(web(2))
    await running.settled()
    expect(await owners(running)).toMatchObject({ orphan: "web", stranger: "none" })
    expect(await ownedPods(running)).toBe(2)
  })

  test("an orphan that comes later is adopted, and one pod too many goes", async () => {
    await using running = await cluster(only)
    await running.apply(web(2))
    await running.settled()
    await running.apply(bare("orphan", { app: "web" }))
    await running.settled()
    expect(await ownedPods(running)).toBe(2)
    expect((await get(running)).status?.replicas).toBe(2)
  })

  test("releases and replaces a pod whose labels do not match any more", async () => {
    await using running = await cluster(only)
    await running.apply(web(2))
    await running.settled()
    const [first] = await running.list(pods)
    await running.client.patch(pods, first!, { metadata: { labels: { app: "debug" } } })
    await running.settled()
    expect((await owners(running))[first!.metadata.name!]).toBe("none")
    expect(await ownedPods(running)).toBe(2)
  })

  test("leaves a pod of another controller alone (DoNotPatchPodWithOtherControlRef)", async () => {
    await using running = await cluster(only)
    const other = { apiVersion: "example.com/v1", kind: "Other", name: "other", uid: "other-1", controller: true }
    await running.apply(bare("taken", { app: "web" }, { ownerReferences: [other] }))
    await running.apply(web(1))
    await running.settled()
    expect(await owners(running)).toMatchObject({ taken: "other" })
    expect(await ownedPods(running)).toBe(1)
  })

  test("two ReplicaSets that mean the same pods keep each its own (OverlappingRSs)", async () => {
    await using running = await cluster(only)
    await running.apply(web(2))
    await running.apply(web(3, {}, "other"))
    await running.settled()
    expect([await ownedPods(running), await ownedPods(running, "other")]).toEqual([2, 3])
    await running.apply(web(1))
    await running.settled()
    expect([await ownedPods(running), await ownedPods(running, "other")]).toEqual([1, 3])
  })

  test("nothing is adopted for an owner that is going, though the cache does not know yet (DoNotAdoptOrCreateIfBeingDeletedRace)", async () => {
    const late = held("replicasets")
    await using running = await cluster({ ...only, layer: late.layer })
    await running.apply(web(1))
    await running.settled()
    late.hold()
    const ours = await get(running)
    await running.client.patch(replicaSets, ours, { metadata: { finalizers: ["example.com/wait"] } })
    await running.client.delete(replicaSets, ours)
    await running.apply(bare("orphan", { app: "web" }))
    await running.settled()
    expect(await owners(running)).toMatchObject({ orphan: "none" })
    late.release()
  })

  test("a new one of the same name takes over the pods that its predecessor left (ExpectationsOnRecreate)", async () => {
    await using running = await cluster(only)
    await running.apply(web(2))
    await running.settled()
    const before = Object.keys(await owners(running))
    await running.client.delete(replicaSets, await get(running))
    for (const pod of await running.list(pods)) await running.client.patch(pods, pod, { metadata: { ownerReferences: null } })
    await running.apply(web(2))
    await running.settled()
    expect(Object.keys(await owners(running))).toEqual(before)
    const { uid } = (await get(running)).metadata
    expect((await running.list(pods)).map((pod) => controllerOf(pod)?.uid)).toEqual([uid, uid])
  })
})

describe("what goes wrong", () => {
  test("a cache that is behind makes no pod twice (SyncReplicaSetDormancy, RSSyncExpectations)", async () => {
    const late = held("pods")
    await using running = await cluster({ ...only, layer: late.layer })
    await running.apply(web(0))
    await running.settled()
    late.hold()
    await running.apply(web(3))
    await running.settled()
    await running.apply({ ...web(3), metadata: { name: "web", annotations: { wake: "up" } } })
    await running.advance("10s")
    expect(await running.list(pods)).toHaveLength(3)
    late.release()
    await running.settled()
    expect(await running.list(pods)).toHaveLength(3)
    expect((await get(running)).status?.replicas).toBe(3)
  })

  test("replaces a pod whose deletion was missed: the next list lacks it (DeleteFinalStateUnknown)", async () => {
    await using running = await cluster({ ...only, layer: losingDeletion("pods") })
    await running.apply(web(3))
    await running.settled()
    const [first] = await running.list(pods)
    await running.client.delete(pods, first!, { gracePeriodSeconds: 0 })
    await running.advance("1m")
    const left = (await running.list(pods)).map(({ metadata }) => metadata.name)
    expect(left).toHaveLength(3)
    expect(left).not.toContain(first!.metadata.name)
    expect((await get(running)).status?.replicas).toBe(3)
  })

  test("expectations of a deleted set do not hold up another of its name (DeleteControllerAndExpectations)", async () => {
    const late = held("pods")
    await using running = await cluster({ ...only, layer: late.layer })
    await running.settled()
    late.hold()
    await running.apply(web(2))
    await running.settled()
    await running.client.delete(replicaSets, "default/web")
    await running.settled()
    const { uid } = (await running.apply(web(2))).metadata
    await running.settled()
    const owners = (await running.list(pods)).map((pod) => controllerOf(pod)?.uid)
    expect(owners.filter((owner) => owner === uid)).toHaveLength(2)
    late.release()
  })

  test("events that come twice change nothing", async () => {
    await using running = await cluster({ ...only, layer: doubling() })
    await running.apply(web(3))
    await running.settled()
    await running.apply(web(1))
    await running.settled()
    expect(await ownedPods(running)).toBe(1)
  })

  test("refused pods: one attempt per reconcile, exponential backoff, a condition; and recovery when the quota allows", async () => {
    let tries = 0
    let full = true
    const quota = forbidden(pods, "", "exceeded quota: pods")
    const layer = refusing((request) =>
      full && request.verb === "POST" && request.path.endsWith("/pods") && ++tries > 0 ? quota : undefined,
    )
    await using running = await cluster({ ...only, layer })
    await running.apply(web(20))
    await running.advance("10s")
    // 5 ms, 10 ms, 20 ms …: eleven tries in ten seconds, each with one pod of twenty.
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThan(20)
    expect((await get(running)).status?.conditions).toMatchObject([{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" }])
    expect(await told(running)).toContain("replicaset-controller FailedCreate")
    full = false
    await running.advance("1m")
    expect((await get(running)).status).toMatchObject({ replicas: 20, availableReplicas: 20 })
    expect((await get(running)).status?.conditions).toBeUndefined()
  })

  test("a conflict in the status is looked at again, and no event is lost", async () => {
    let conflicts = 2
    const layer = refusing(({ verb, path }) =>
      verb === "PUT" && path.endsWith("/status") && path.includes("replicasets") && conflicts-- > 0
        ? conflict(replicaSets, "web")
        : undefined,
    )
    await using running = await cluster({ ...only, layer })
    await running.apply(web(2))
    await running.settled()
    expect((await get(running)).status).toMatchObject({ replicas: 2, availableReplicas: 2 })
    expect(await told(running)).toHaveLength(2)
  })

  test("a namespace that goes away is not fought", async () => {
    const writes: string[] = []
    await using running = await cluster({ ...only, layer: noting(writes) })
    const space: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } }
    await running.apply(space)
    await running.apply({ ...web(3), metadata: { name: "web", namespace: "leaving" } })
    await running.settled()
    await running.client.delete(namespaces, space)
    for (const pod of await running.list(pods)) await running.client.delete(pods, pod)
    writes.length = 0
    await running.advance("10m")
    // The first of the three batches is refused; then the last status, and that is all for ten minutes.
    const tried = writes.filter((write) => write.endsWith("/namespaces/leaving/pods"))
    expect(tried.length).toBeLessThanOrEqual(4)
    expect(await told(running)).not.toContain("replicaset-controller FailedCreate")
  })
})

test("whichever API call the controllers crash at, the end is the same", async () => {
  const scenario = {
    cluster: only,
    async run(running: Cluster) {
      await running.apply(bare("orphan", { app: "web" }))
      await running.apply(web(3))
      await running.advance("20s")
      await running.apply(web(1, { minReadySeconds: 5 }))
      await running.advance("20s")
    },
    // Which of the pods stays is drawn by lot.
    end: async (running: Cluster) => [await ownedPods(running), (await get(running)).status?.availableReplicas],
  }
  expect(await crashPoints(scenario, { sample: 10, seed: 7, writers: ["replicaset-controller"] })).toMatchObject({ tried: 10 })
})
