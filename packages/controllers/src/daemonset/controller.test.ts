import { conflict, controllerOf, forbidden, type KubeObject } from "@pilothouse/api"
import { controllerRevisions, daemonSets } from "@pilothouse/api/apps/v1"
import { namespaces, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { breaking } from "../controller-revisions/testing/breaking-watch.ts"
import { costOf } from "../controller-revisions/testing/write-cost.ts"
import { doubling, held, noting, refusing } from "../testing/layers.ts"
import { agent, bareNode, get, owned, placed, told } from "./testing/cluster.ts"

const only = { controllers: ["daemonset"], nodes: 3 }

describe("a DaemonSet", () => {
  test("creates a pod on every node, records an event for each, and reports their state", async () => {
    await using running = await cluster(only)
    await running.apply(agent(1))
    await running.settled()
    expect(await placed(running)).toEqual(["node-1 1", "node-2 1", "node-3 1"])
    expect((await get(running)).status).toEqual({
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
      observedGeneration: 1,
    })
    expect(await told(running)).toEqual(Array.from({ length: 3 }, () => "daemonset-controller SuccessfulCreate"))
  })

  test("follows nodes: new ones, labels, taints, cordons, and those that go", async () => {
    await using running = await cluster(only)
    const template = { ...agent(1).spec!.template, spec: { ...agent(1).spec!.template.spec!, nodeSelector: { disk: "ssd" } } }
    await running.apply(agent(1, { template }))
    await running.settled()
    expect(await placed(running)).toEqual([])
    await running.client.patch(nodes, "node-2", { metadata: { labels: { disk: "ssd" } }, spec: { unschedulable: true } })
    await running.apply(bareNode("late", { disk: "ssd" }))
    await running.settled()
    expect(await placed(running)).toEqual(["late 1", "node-2 1"])
    await running.client.patch(nodes, "node-2", { spec: { taints: [{ key: "dedicated", effect: "NoSchedule" }] } })
    await running.client.delete(nodes, "late")
    await running.settled()
    expect((await get(running)).status).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 1 })
    await running.client.patch(nodes, "node-2", { metadata: { labels: { disk: "hdd" } }, spec: { taints: null } })
    await running.settled()
    expect((await placed(running)).filter((place) => place.startsWith("node-2"))).toEqual([])
  })

  test("replaces failed pods, ever more slowly, and says so", async () => {
    await using running = await cluster({ ...only, nodes: 1 })
    await running.apply(agent(1))
    const seconds: number[] = []
    for (const _failure of [1, 2, 3, 4]) {
      await running.settled()
      const [before] = await owned(running)
      const started = running.clock.now()
      await running.client.patch(pods, before!, { status: { phase: "Failed" } }, { subresource: "status" })
      await running.until(async () => (await owned(running)).every(({ metadata }) => metadata.uid !== before!.metadata.uid))
      seconds.push((running.clock.now() - started) / 1000)
    }
    expect(seconds).toEqual([0, 1, 2, 4])
    expect(await told(running)).toContain("daemonset-controller FailedDaemonPod")
  })

  test("counts a pod as available the very moment it has been ready for long enough", async () => {
    await using running = await cluster({ ...only, nodes: 1 })
    await running.apply(agent(1, { minReadySeconds: 30 }))
    await running.advance("29s")
    expect((await get(running)).status).toMatchObject({ numberReady: 1, numberUnavailable: 1 })
    await running.advance("1s")
    expect((await get(running)).status).toMatchObject({ numberReady: 1, numberAvailable: 1 })
  })
})

describe("a new template", () => {
  test("is rolled out node by node, and a rollback makes its old revision the newest", async () => {
    await using running = await cluster(only)
    await running.apply(agent(1, { minReadySeconds: 10 }))
    await running.advance("10s")
    await running.apply(agent(2, { minReadySeconds: 10 }))
    await running.settled()
    expect(await placed(running)).toEqual(["node-1 2", "node-2 1", "node-3 1"])
    await running.advance("30s")
    expect(await placed(running)).toEqual(["node-1 2", "node-2 2", "node-3 2"])
    await running.apply(agent(1))
    await running.advance("1m")
    expect(await placed(running)).toEqual(["node-1 1", "node-2 1", "node-3 1"])
    expect((await running.list(controllerRevisions)).map(({ revision }) => revision).sort()).toEqual([2, 3])
  })

  test("with surge stands beside the old one until it is available", async () => {
    await using running = await cluster(only)
    const spec = {
      minReadySeconds: 10,
      updateStrategy: { type: "RollingUpdate" as const, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    }
    await running.apply(agent(1, spec))
    await running.advance("10s")
    await running.apply(agent(2, spec))
    await running.advance("5s")
    expect(await placed(running)).toEqual(["node-1 1", "node-1 2", "node-2 1", "node-3 1"])
    await running.advance("1m")
    expect(await placed(running)).toEqual(["node-1 2", "node-2 2", "node-3 2"])
  })

  test("waits for people to delete the pods (OnDelete)", async () => {
    await using running = await cluster(only)
    await running.apply(agent(1, { updateStrategy: { type: "OnDelete" } }))
    await running.settled()
    await running.apply(agent(2, { updateStrategy: { type: "OnDelete" } }))
    await running.settled()
    expect((await get(running)).status).toMatchObject({ numberAvailable: 3, observedGeneration: 2 })
    expect((await get(running)).status?.updatedNumberScheduled).toBeUndefined()
    await running.client.delete(pods, (await owned(running)).find(({ spec }) => spec?.nodeName === "node-2")!)
    await running.settled()
    expect(await placed(running)).toEqual(["node-1 1", "node-2 2", "node-3 1"])
  })

  test("whose name is taken by another revision gets another name", async () => {
    await using running = await cluster({ ...only, nodes: 1 })
    await running.apply(agent(1))
    await running.settled()
    const [taken] = await running.list(controllerRevisions)
    await running.client.delete(daemonSets, await get(running))
    await running.client.delete(controllerRevisions, taken!)
    const stranger: KubeObject = { ...taken!, metadata: { name: taken!.metadata.name }, data: { other: true } } as KubeObject
    await running.apply(stranger)
    await running.settled()
    await running.apply(agent(1))
    await running.settled()
    expect((await get(running)).status).toMatchObject({ collisionCount: 1, numberAvailable: 1 })
  })
})

describe("adoption", () => {
  test("pods and revisions of a predecessor are taken over (ExpectationsOnRecreate)", async () => {
    await using running = await cluster(only)
    await running.apply(agent(1))
    await running.settled()
    const before = (await owned(running)).map(({ metadata }) => metadata.name)
    await running.client.delete(daemonSets, await get(running), { propagationPolicy: "Orphan" })
    for (const pod of await running.list(pods)) await running.client.patch(pods, pod, { metadata: { ownerReferences: null } })
    for (const one of await running.list(controllerRevisions))
      await running.client.patch(controllerRevisions, one, { metadata: { ownerReferences: null } })
    for (const { metadata } of await running.list(daemonSets))
      await running.client.patch(daemonSets, `default/${metadata.name}`, { metadata: { finalizers: null } })
    await running.apply(agent(1))
    await running.settled()
    const { uid } = (await get(running)).metadata
    expect((await owned(running)).map(({ metadata }) => metadata.name)).toEqual(before)
    expect((await running.list(controllerRevisions)).map((one) => controllerOf(one)?.uid)).toEqual([uid])
  })

  test("a pod whose labels match no more is released and replaced", async () => {
    await using running = await cluster({ ...only, nodes: 1 })
    await running.apply(agent(1))
    await running.settled()
    const [first] = await owned(running)
    await running.client.patch(pods, first!, { metadata: { labels: { app: "debug" } } })
    await running.settled()
    expect(controllerOf(await running.client.get(pods, `default/${first!.metadata.name}`))).toBeUndefined()
    expect(await placed(running)).toEqual(["node-1 1"])
  })
})

describe("what goes wrong", () => {
  test("a cache that is behind makes no pod twice", async () => {
    const late = held("pods")
    await using running = await cluster({ ...only, layer: late.layer })
    await running.settled()
    late.hold()
    await running.apply(agent(1))
    await running.settled()
    await running.apply({ ...agent(1), metadata: { name: "agent", annotations: { wake: "up" } } })
    await running.advance("10s")
    expect(await running.list(pods)).toHaveLength(3)
    late.release()
    await running.settled()
    expect(await placed(running)).toEqual(["node-1 1", "node-2 1", "node-3 1"])
  })

  test("events that come twice change nothing", async () => {
    await using running = await cluster({ ...only, layer: doubling() })
    await running.apply(agent(1))
    await running.settled()
    await running.apply(agent(2))
    await running.advance("1m")
    expect(await placed(running)).toEqual(["node-1 2", "node-2 2", "node-3 2"])
  })

  test("events that are lost are made up for", async () => {
    await using running = await cluster({ ...only, layer: breaking() })
    await running.apply(agent(1))
    await running.advance("5m")
    await running.apply(agent(2))
    await running.advance("10m")
    expect(await placed(running)).toEqual(["node-1 2", "node-2 2", "node-3 2"])
  })

  test("refused pods: one try per reconcile, longer and longer waits; and all is well when the quota allows", async () => {
    let [tries, full] = [0, true]
    const quota = forbidden(pods, "", "exceeded quota: pods")
    const layer = refusing(({ verb, path }) => (full && verb === "POST" && path.endsWith("/pods") && ++tries > 0 ? quota : undefined))
    await using running = await cluster({ ...only, layer })
    await running.apply(agent(1))
    await running.advance("10s")
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThan(20)
    expect((await get(running)).status).toMatchObject({ desiredNumberScheduled: 3, currentNumberScheduled: 0, observedGeneration: 1 })
    expect(await told(running)).toContain("daemonset-controller FailedCreate")
    full = false
    await running.advance("1m")
    expect((await get(running)).status).toMatchObject({ numberAvailable: 3 })
  })

  test("a conflict in the status is looked at again (StoreDaemonSetStatus)", async () => {
    let conflicts = 2
    const layer = refusing(({ verb, path }) =>
      verb === "PUT" && path.endsWith("daemonsets/agent/status") && conflicts-- > 0 ? conflict(daemonSets, "agent") : undefined,
    )
    await using running = await cluster({ ...only, layer })
    await running.apply(agent(1))
    await running.settled()
    expect((await get(running)).status).toMatchObject({ numberAvailable: 3 })
  })

  test("a namespace that goes away is not fought", async () => {
    const writes: string[] = []
    await using running = await cluster({ ...only, layer: noting(writes) })
    const space: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } }
    await running.apply(space)
    await running.apply({ ...agent(1), metadata: { name: "agent", namespace: "leaving" } })
    await running.settled()
    await running.client.delete(namespaces, space)
    for (const pod of await running.list(pods)) await running.client.delete(pods, pod)
    writes.length = 0
    await running.advance("10m")
    expect(writes.filter((write) => write.endsWith("/namespaces/leaving/pods")).length).toBeLessThanOrEqual(4)
    expect(await told(running)).not.toContain("daemonset-controller FailedCreate")
  })

  test("a DaemonSet that is going adopts nothing, though the cache does not know yet (DontDoAnythingIfBeingDeletedRace)", async () => {
    const late = held("daemonsets")
    await using running = await cluster({ ...only, layer: late.layer })
    await running.apply(agent(1))
    await running.settled()
    late.hold()
    const ours = await get(running)
    await running.client.patch(daemonSets, ours, { metadata: { finalizers: ["example.com/wait"] } })
    await running.client.delete(daemonSets, ours)
    const template = agent(1).spec!.template
    const orphan: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "orphan", labels: { app: "agent" } }, spec: template.spec }
    await running.apply(orphan)
    await running.settled()
    expect(controllerOf(await running.client.get(pods, "default/orphan"))).toBeUndefined()
    late.release()
  })
})

describe("few writes", () => {
  test("create, update and a node more cost what they must", async () => {
    const writes: string[] = []
    await using running = await cluster({ ...only, layer: noting(writes) })
    const cost = async (change: Promise<unknown>) => {
      writes.length = 0
      await change
      await running.advance("1m")
      return costOf(writes)
    }
    // A revision and three pods; a pod is there, or ready: two states.
    const created = await cost(running.apply(agent(1)))
    expect(created.objects).toBe(1 + 3)
    expect(created.statuses).toBeLessThanOrEqual(3 * 2)
    const untouched = await cost(running.apply({ ...agent(1), metadata: { name: "agent", annotations: { note: "nothing to do" } } }))
    expect(untouched).toEqual({ objects: 0, statuses: 0 })
    // A revision; on each node one pod goes and one comes: on its way out, there, ready.
    const updated = await cost(running.apply(agent(2)))
    expect(updated.objects).toBe(1 + 3 * 2)
    expect(updated.statuses).toBeLessThanOrEqual(3 * 3)
    const grown = await cost(running.apply(bareNode("late")))
    expect(grown.objects).toBe(1)
    expect(grown.statuses).toBeLessThanOrEqual(2)
    expect(await cost(Promise.resolve())).toEqual({ objects: 0, statuses: 0 })
  })
})

test("a duplicate revision that a user creates stays until the DaemonSet has other work", async () => {
  await using running = await cluster(only)
  await running.apply(agent(1))
  await running.settled()
  const [current] = await running.list(controllerRevisions)
  const { labels, ownerReferences } = current!.metadata
  const duplicate = { ...current!, revision: 7, metadata: { name: "duplicate", namespace: "default", labels, ownerReferences } }
  await running.client.create(controllerRevisions, duplicate)
  await running.advance("10m")
  expect((await running.list(controllerRevisions)).map(({ metadata }) => metadata.name)).toContain("duplicate")
  await running.client.patch(daemonSets, "default/agent", { metadata: { annotations: { changed: "yes" } } })
  await running.advance("1m")
  expect(await running.list(controllerRevisions)).toHaveLength(1)
})

test("whichever API call the controllers crash at, the end is the same", async () => {
  const scenario = {
    cluster: only,
    async run(running: Cluster) {
      await running.apply(agent(1))
      await running.advance("20s")
      await running.apply(agent(2))
      await running.client.patch(nodes, "node-3", { spec: { taints: [{ key: "dedicated", effect: "NoExecute" }] } })
      await running.advance("1m")
    },
    end: async (running: Cluster) => [
      await placed(running),
      (await get(running)).status,
      (await running.list(controllerRevisions)).map(({ metadata, revision }) => [metadata.name, revision]),
    ],
  }
  expect(await crashPoints(scenario, { sample: 10, seed: 7, writers: ["daemonset-controller"] })).toMatchObject({ tried: 10 })
})
