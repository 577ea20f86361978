import { formatTime, type KubeObject } from "@pilothouse/api"
import { jobs } from "@pilothouse/api/batch/v1"
import { nodes, pods } from "@pilothouse/api/core/v1"
import { describePlan } from "@pilothouse/runtime"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { forEver, work } from "../job/testing/cluster.ts"

/** The last plan of a controller for a key, as `pilothouse explain` prints it. */
function explained({ trace }: Cluster, controller: string, key: string): readonly string[] {
  const last = trace.entries().findLast((entry) => entry.controller === controller && entry.key === key)
  const plans = [last?.plan, last?.settled].filter((plan) => plan !== undefined)
  return [...plans.flatMap((plan) => describePlan(plan, last?.results)), ...(last?.error === undefined ? [] : [last.error])]
}

function of(apiVersion: string, kind: string, name: string, spec: object): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: "default" }, spec } as KubeObject
}

describe("a Job that is suspended", () => {
  test("says so, and what it waits for, until it is resumed", async () => {
    await using running = await cluster({ controllers: ["job"] })
    await running.apply(work({ suspend: true }))
    await running.advance("1m")
    const waits = "wait for spec.suspend to be false: it is suspended and creates no pods"
    expect(explained(running, "job-controller", "default/work")).toContain(waits)
    await running.client.patch(jobs, "default/work", { spec: { suspend: false } })
    await running.advance("10s")
    expect(explained(running, "job-controller", "default/work")).toEqual(["nothing to do: 1 active, 1 ready, 0 succeeded, 0 failed"])
  })
})

describe("pods that a quota refuses", () => {
  const template = { metadata: { labels: { app: "a" } }, spec: { containers: [forEver] } }
  const selector = { matchLabels: { app: "a" } }
  const rows: readonly (readonly [controller: string, object: KubeObject])[] = [
    ["replicaset-controller", of("apps/v1", "ReplicaSet", "a", { replicas: 1, selector, template })],
    ["replication-controller", of("v1", "ReplicationController", "a", { replicas: 1, selector: selector.matchLabels, template })],
    ["deployment-controller", of("apps/v1", "Deployment", "a", { replicas: 1, selector, template })],
    ["daemonset-controller", of("apps/v1", "DaemonSet", "a", { selector, template })],
    ["statefulset-controller", of("apps/v1", "StatefulSet", "a", { replicas: 1, serviceName: "a", selector, template })],
    ["job-controller", of("batch/v1", "Job", "a", { template: { spec: { restartPolicy: "Never", containers: [forEver] } } })],
  ]

  test.each(rows)("%s says why there are none, and goes on trying", async (name, object) => {
    await using running = await cluster({ nodes: 1 })
    await running.apply(of("v1", "ResourceQuota", "none", { hard: { pods: "0" } }))
    await running.advance("5s")
    await running.apply(object)
    await running.advance("1m")
    expect(await running.list(pods)).toEqual([])
    expect(explained(running, name, "default/a").join("\n")).toContain(
      "exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0",
    )
    const last = running.trace.entries().findLast(({ controller, key }) => controller === name && key === "default/a")
    // The Deployment has done its part: its ReplicaSet tries.
    if (name !== "deployment-controller") expect(last?.nextAt).toBeGreaterThan(running.clock.now())
    expect(last?.givenUp).toBeUndefined()
  })
})

describe("binder and provisioner never contradict each other", () => {
  const claim = (storageClassName: string) =>
    of("v1", "PersistentVolumeClaim", "data", {
      accessModes: ["ReadWriteOnce"],
      storageClassName,
      resources: { requests: { storage: "1Gi" } },
    })
  const storageClass = (provisioner: string, volumeBindingMode = "Immediate") =>
    ({ apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "fast" }, provisioner, volumeBindingMode }) as KubeObject
  const notThere = ["nothing to do: no existing volume fits it", "wait for a volume that fits, provisioned or created manually"]

  test.each<[name: string, objects: readonly KubeObject[], settings: Record<string, boolean>, binder: readonly string[], other: RegExp]>([
    ["no such class", [claim("fast")], {}, notThere, /^cannot go on: storageclass.storage.k8s.io "fast" not found/],
    [
      "another provisioner's class",
      [storageClass("example.com/disks"), claim("fast")],
      {},
      notThere,
      /wait for example.com\/disks to make a volume/,
    ],
    [
      "volumes are made by hand only",
      [storageClass("example.com/disks"), claim("fast")],
      { "enable-dynamic-provisioning": false },
      notThere,
      /^nothing to do: no volumes are provisioned: --enable-dynamic-provisioning is off$/,
    ],
    [
      "a class that waits for a pod",
      [storageClass("example.com/disks", "WaitForFirstConsumer"), claim("fast")],
      {},
      ["nothing to do: waiting for first consumer to be created before binding", "wait for a pod that uses it"],
      /^nothing to do: none is provisioned for it now: it waits for a pod that uses it$/,
    ],
    [
      "no class at all",
      [claim("")],
      {},
      ["nothing to do: no persistent volumes available for this claim and no storage class is set", "wait for a volume that fits"],
      /^nothing to do: none is provisioned for it now: it waits for a volume that fits$/,
    ],
  ])("%s", async (_name, objects, settings, binder, other) => {
    await using running = await cluster({ controllers: ["persistentvolume-binder"], settings })
    for (const object of objects) await running.apply(object)
    await running.advance("20s")
    expect(explained(running, "persistentvolume-binder-controller", "default/data")).toEqual(expect.arrayContaining([...binder]))
    expect(explained(running, "persistentvolume-provisioner-controller", "default/data").join("\n")).toMatch(other)
  })
})

describe("a node that has no heartbeat any more", () => {
  const silent: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "silent" } }
  const tolerations = [{ key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }]

  test("node-lifecycle says since when, and what it waits for; its pods say when they have to leave, the same at every reconcile", async () => {
    await using running = await cluster({ controllers: ["node-lifecycle", "taint-eviction"] })
    await running.apply(silent)
    await running.apply(of("v1", "Pod", "alone", { nodeName: "silent", containers: [forEver], tolerations }))
    await running.until(async () =>
      ((await running.client.get(nodes, "silent")).spec?.taints ?? []).some(({ effect }) => effect === "NoExecute"),
    )
    await running.advance("10s")
    const waits = /^wait for a status of its kubelet: its state is unknown since 2026-01-05T09:01:\d\dZ$/
    expect(explained(running, "node-lifecycle-controller", "node:silent")).toEqual(expect.arrayContaining([expect.stringMatching(waits)]))
    const leavesAt = () =>
      explained(running, "taint-eviction-controller", "default/alone")
        .join()
        .match(/is evicted at (\S+)$/)?.[1]
    const said = leavesAt()
    expect(said).toBeDefined()
    await running.client.patch(nodes, "silent", { metadata: { labels: { looked: "again" } } })
    await running.advance("2m")
    expect(leavesAt()).toBe(said)
    const last = running.trace.entries().findLast(({ key }) => key === "default/alone")
    expect(formatTime(last?.nextAt ?? 0)).toBe(said)
    await running.until(
      async () => (await running.list(pods)).length === 0 || (await running.list(pods))[0]?.metadata.deletionTimestamp !== undefined,
    )
    expect(formatTime(running.clock.now())).toBe(said)
  })
})
