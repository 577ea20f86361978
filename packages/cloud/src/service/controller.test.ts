import { nodes, services } from "@pilothouse/api/core/v1"
import { RetryAfterError } from "@pilothouse/runtime"
import type { Duration } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { MemoryFault } from "../memory/memory-cloud.ts"
import { CloudError, ImplementedElsewhere } from "../provider/cloud-errors.ts"
import { cloudCluster, newService } from "./testing/cloud-cluster.ts"
import { cleanupFinalizer } from "./wants-load-balancer.ts"

const ensured = ["Normal EnsuringLoadBalancer: Ensuring load balancer", "Normal EnsuredLoadBalancer: Ensured load balancer"]
const deleted = ["Normal DeletingLoadBalancer: Deleting load balancer", "Normal DeletedLoadBalancer: Deleted load balancer"]

describe("SyncLoadBalancerIfNeeded", () => {
  test("tcp service that wants LB: the finalizer, a balancer, its address in the status, and two events", async () => {
    await using made = await cloudCluster()
    const { running, cloud, service, events, calls } = made
    await running.apply(newService())
    await running.settled()
    const found = await service()
    expect(found.metadata.finalizers).toEqual([cleanupFinalizer])
    expect(found.status?.loadBalancer?.ingress).toMatchObject([{ ip: "192.0.2.1" }])
    expect([...cloud.balancers.values()]).toMatchObject([{ service: "default/web", nodes: ["node-1"] }])
    expect(await events()).toEqual(ensured)
    expect(calls()).toEqual(["ensure default/web"])
  })

  test("udp service that wants LB: it gets one", async () => {
    await using made = await cloudCluster()
    const { running, service } = made
    await running.apply(newService({ ports: [{ port: 53, protocol: "UDP" }] }))
    await running.settled()
    expect((await service()).status?.loadBalancer?.ingress).toHaveLength(1)
  })

  test("service doesn't want LB, or specifies loadBalancerClass: it is left alone", async () => {
    await using made = await cloudCluster()
    const { running, events, calls } = made
    await running.apply(newService({ type: "ClusterIP" }))
    await running.apply(newService({ loadBalancerClass: "example.com/other" }, "classy"))
    await running.settled()
    expect(calls()).toEqual([])
    expect([...(await events()), ...(await events("classy"))]).toEqual([])
  })

  test("sctp service that wants LB: the cloud refuses, an event says so, and it is retried after 5 s, 10 s, 20 s", async () => {
    await using made = await cloudCluster()
    const { running, events, calls } = made
    await running.apply(newService({ ports: [{ port: 80, protocol: "SCTP" }] }))
    await running.settled()
    expect(await events()).toEqual([
      ensured[0],
      "Warning SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: expected TCP or UDP, found SCTP",
    ])
    const after = async (time: Duration) => {
      await running.advance(time)
      return calls().length
    }
    expect([
      await after("1s"),
      await after("4.1s"),
      await after("9s"),
      await after("1.1s"),
      await after("19s"),
      await after("1.1s"),
    ]).toEqual([1, 1, 0, 1, 0, 1])
  })

  test("service with finalizer that wants LB: a change is announced and made", async () => {
    await using made = await cloudCluster()
    await made.running.apply(newService())
    await made.running.settled()
    await made.running.client.patch(services, "default/web", { spec: { externalTrafficPolicy: "Local" } })
    await made.running.settled()
    expect(made.calls()).toEqual(["ensure default/web", "ensure default/web"])
    expect(await made.events()).toEqual(ensured.map((text) => `${text} (x2)`))
    expect(made.cloud.writes).toBe(2)
  })

  test("service with finalizer that no longer wants LB: balancer, status and finalizer go", async () => {
    await using made = await cloudCluster()
    const { running, cloud, service, events } = made
    await running.apply(newService())
    await running.settled()
    await running.client.patch(services, "default/web", { spec: { type: "ClusterIP" } })
    await running.settled()
    const found = await service()
    expect(found.metadata.finalizers).toBeUndefined()
    expect(found.status?.loadBalancer?.ingress).toBeUndefined()
    expect(cloud.balancers.size).toBe(0)
    expect(await events()).toEqual([...ensured, ...deleted])
  })

  test("service that needs cleanup: a deleted one is gone once its balancer is", async () => {
    await using made = await cloudCluster()
    const { running, cloud, events, calls } = made
    await running.apply(newService())
    await running.settled()
    calls()
    await running.client.delete(services, "default/web")
    await running.settled()
    expect(await running.list(services, { namespace: "default", fieldSelector: "metadata.name=web" })).toEqual([])
    expect(cloud.balancers.size).toBe(0)
    expect(await events()).toEqual([...ensured, ...deleted])
    expect(calls()).toEqual(["get default/web", "ensureDeleted default/web"])
  })

  test("on clean-up ensureDeleted is called whatever get says: nothing there, or no answer", async () => {
    await using made = await cloudCluster()
    const { running, cloud, calls, events } = made
    await running.apply(newService())
    await running.apply(newService({}, "other"))
    await running.settled()
    cloud.balancers.clear()
    cloud.fault = ({ verb, about }) => (verb === "get" && about === "default/other" ? { fail: new CloudError("no") } : undefined)
    calls()
    await running.client.delete(services, "default/web")
    await running.client.delete(services, "default/other")
    await running.settled()
    expect(calls().filter((call) => call.startsWith("ensureDeleted"))).toEqual(["ensureDeleted default/web", "ensureDeleted default/other"])
    expect(await events()).toEqual([...ensured, deleted[1]])
    expect(await running.list(services, { namespace: "default", fieldSelector: "metadata.name=web" })).toEqual([])
  })

  test("ImplementedElsewhere: no status, no event of a failure, no retry; and the Service can go", async () => {
    await using made = await cloudCluster()
    const { running, cloud, service, events, calls } = made
    const elsewhere: MemoryFault = { fail: new ImplementedElsewhere("another controller") }
    cloud.fault = ({ verb }) => (verb === "get" ? undefined : elsewhere)
    await running.apply(newService())
    await running.advance("10m")
    expect(calls()).toEqual(["ensure default/web"])
    expect((await service()).status?.loadBalancer?.ingress).toBeUndefined()
    expect(await events()).toEqual([ensured[0]])
    await running.client.delete(services, "default/web")
    await running.settled()
    expect(await running.list(services, { namespace: "default", fieldSelector: "metadata.name=web" })).toEqual([])
  })
})

describe("ServiceQueueDelay", () => {
  test("processing successful: it is not looked at again", async () => {
    await using made = await cloudCluster()
    await made.running.apply(newService())
    await made.running.advance("1h")
    expect(made.calls()).toEqual(["ensure default/web"])
  })

  const rows: readonly [string, Error, readonly number[]][] = [
    ["regular error: 5 s, doubled up to 300 s", new CloudError("no"), [5, 15, 35, 75, 155, 315, 615, 915]],
    ["retry error: exactly when the cloud says", new RetryAfterError("42s", "being built"), [42, 84, 126]],
  ]
  test.each(rows)("%s", async (_what, fail, expected) => {
    await using made = await cloudCluster()
    const { running, cloud } = made
    const times: number[] = []
    const start = running.clock.now()
    cloud.fault = () => {
      times.push(Math.round((running.clock.now() - start) / 1000))
      return { fail }
    }
    await running.apply(newService())
    await running.advance(`${(expected.at(-1) ?? 0) + 1}s`)
    expect(times.slice(0, expected.length + 1)).toEqual([0, ...expected])
  })
})

const node = (name: string, more: object = {}) => ({ apiVersion: "v1" as const, kind: "Node" as const, metadata: { name, ...more } })

describe("NodeChangesForStableNodeSetEnabled", () => {
  const start = async () => {
    const made = await cloudCluster()
    await made.running.apply(newService())
    await made.running.settled()
    made.calls()
    return made
  }

  test("1 new node gets added, 1 old node gets deleted, 1 node get excluded: each is one update and one event", async () => {
    await using made = await start()
    await made.running.apply(node("extra"))
    await made.running.settled()
    expect([...made.cloud.balancers.values()][0]?.nodes).toEqual(["extra", "node-1"])
    await made.running.client.patch(nodes, "node-1", {
      metadata: { labels: { "node.kubernetes.io/exclude-from-external-load-balancers": "" } },
    })
    await made.running.settled()
    expect([...made.cloud.balancers.values()][0]?.nodes).toEqual(["extra"])
    expect(made.calls()).toEqual(["update default/web", "update default/web"])
    await made.running.client.delete(nodes, "extra")
    await made.running.settled()
    expect((await made.events()).slice(2)).toEqual([
      "Normal UpdatedLoadBalancer: Updated load balancer with new hosts (x2)",
      "Warning UnAvailableLoadBalancer: There are no available nodes for LoadBalancer",
    ])
  })

  test("1 node gets Tainted, 1 spurious node update: readiness and the autoscaler's taint are no reason; the taint counts at the next one", async () => {
    await using made = await start()
    const taints = [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" }]
    await made.running.client.patch(nodes, "node-1", { spec: { taints } })
    await made.running.client.patch(nodes, "node-1", { metadata: { labels: { some: "label" } } })
    await made.running.settled()
    expect(made.calls()).toEqual([])
    await made.running.apply(node("extra"))
    await made.running.settled()
    expect([...made.cloud.balancers.values()][0]?.nodes).toEqual(["extra"])
  })

  test("1 node goes NotReady, or Ready again: no call", async () => {
    await using made = await start()
    for (const status of ["False", "True"]) {
      const conditions = [{ type: "Ready", status, reason: "Test" }]
      await made.running.client.patch(nodes, "node-1", { status: { conditions } }, { subresource: "status", type: "strategic" })
      await made.running.settled()
    }
    expect(made.calls()).toEqual([])
  })

  test("1 node marked for deletion: it counts at the next sync, and when it goes there is nothing left to do", async () => {
    await using made = await start()
    await made.running.apply({ ...node("leaving", { finalizers: ["example.com/hold"] }) })
    await made.running.settled()
    made.calls()
    await made.running.client.delete(nodes, "leaving")
    await made.running.settled()
    expect(made.calls()).toEqual([])
    await made.running.apply(node("extra"))
    await made.running.settled()
    expect([...made.cloud.balancers.values()][0]?.nodes).toEqual(["extra", "node-1"])
    made.calls()
    await made.running.client.patch(nodes, "leaving", { metadata: { finalizers: [] } })
    await made.running.settled()
    expect(made.calls()).toEqual([])
  })

  test("1 new node gets added - with retries: a failed update is recorded, and the balancer is ensured", async () => {
    await using made = await start()
    made.cloud.fault = () => ({ fail: new CloudError("quota") })
    await made.running.apply(node("extra"))
    await made.running.settled()
    made.cloud.fault = () => undefined
    await made.running.advance("5s")
    expect([...made.cloud.balancers.values()][0]?.nodes).toEqual(["extra", "node-1"])
    expect(await made.events()).toEqual([
      ensured[0],
      "Warning UpdateLoadBalancerFailed: Error updating load balancer with new hosts [extra node-1] [node names limited, total number of nodes: 2], error: quota",
      `${ensured[1]} (x2)`,
    ])
  })

  test("an update that failed was repeated for ever, where only an ensure could mend the balancer", async () => {
    await using made = await start()
    made.cloud.fault = ({ verb }) => (verb === "update" ? { fail: new CloudError("a member is in ERROR") } : undefined)
    await made.running.apply(node("extra"))
    await made.running.advance("10m")
    expect(made.calls()).toEqual(["update default/web", "ensure default/web"])
    expect([...made.cloud.balancers.values()][0]?.nodes).toEqual(["extra", "node-1"])
  })

  test("a balancer that was deleted out of band is created again when nodes change", async () => {
    await using made = await start()
    made.cloud.balancers.clear()
    await made.running.apply(node("extra"))
    await made.running.settled()
    expect(made.calls()).toEqual(["update default/web", "ensure default/web"])
    expect(made.cloud.balancers.size).toBe(1)
  })
})

describe("UpdateNodesInExternalLoadBalancer", () => {
  const wanted = { type: "LoadBalancer" } as const
  const not = { type: "ClusterIP" } as const
  test.each<[name: string, services: readonly (typeof wanted | typeof not)[], concurrentSyncs?: number]>([
    ["No services present: no calls should be made", []],
    ["Services do not have external load balancers: no calls should be made", [not, not]],
    ["Services does have an external load balancer: one call should be made", [wanted]],
    ["Three services have an external load balancer: three calls", [wanted, wanted, wanted]],
    ["Two services have an external load balancer and two don't: two calls", [wanted, not, wanted, not]],
    ["Four services have external load balancer with only 2 workers", [wanted, wanted, wanted, wanted], 2],
  ])("%s", async (_name, specs, concurrentSyncs) => {
    await using made = await cloudCluster({ concurrentSyncs })
    for (const [at, spec] of specs.entries()) await made.running.apply(newService(spec, `s${at}`))
    await made.running.settled()
    made.calls()
    await made.running.apply(node("extra"))
    await made.running.settled()
    expect(made.calls().toSorted()).toEqual(specs.flatMap((spec, at) => (spec === wanted ? [`update default/s${at}`] : [])))
  })
})
