import { conflict, forbidden, internalError } from "@pilothouse/api"
import { events, services } from "@pilothouse/api/core/v1"
import type { Clock, Transport, TransportRequest } from "@pilothouse/seams"
import { cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { MemoryCloud, type MemoryFault } from "../memory/memory-cloud.ts"
import { memoryProvider } from "../memory/provider.ts"
import { CloudError } from "../provider/cloud-errors.ts"
import { serviceController } from "./controller.ts"
import { cloudCluster, newService } from "./testing/cloud-cluster.ts"

const deleted = "Normal DeletedLoadBalancer: Deleted load balancer"

const writes =
  (seen: TransportRequest[]) =>
  (inner: Transport): Transport => {
    return (request) => {
      if (request.verb !== "GET" && /\/(services|events)/.test(request.path)) seen.push(request)
      return inner(request)
    }
  }

describe("a restart", () => {
  test("with nothing changed makes only reads in the cloud, no write to any Service, and no event", async () => {
    const seen: TransportRequest[] = []
    await using made = await cloudCluster({ layer: writes(seen), nodes: 3 })
    const { running, cloud } = made
    for (const name of ["a", "b", "c"]) await running.apply(newService({}, name))
    await running.settled()
    const before = cloud.writes
    seen.length = 0
    await running.restartControllers()
    await running.advance("10m")
    expect(made.calls().slice(-3)).toEqual(["ensure default/a", "ensure default/b", "ensure default/c"])
    expect(cloud.writes).toBe(before)
    expect(seen).toEqual([])
  })

  test("mends what changed meanwhile: the Service, the nodes, a balancer that was deleted behind our back", async () => {
    await using made = await cloudCluster()
    const { running, cloud } = made
    await running.apply(newService())
    await running.settled()
    cloud.balancers.clear()
    await running.restartControllers()
    await running.settled()
    expect(cloud.balancers.size).toBe(1)
    const [found] = [...cloud.balancers.values()]
    expect((await made.service()).status?.loadBalancer).toMatchObject(found?.status ?? {})
  })

  test("after a crash between delete and clean-up the rest is done", async () => {
    await using made = await cloudCluster()
    const { running, cloud } = made
    await running.apply(newService())
    await running.settled()
    cloud.fault = () => ({ fail: new CloudError("down") })
    await running.client.delete(services, "default/web")
    await running.settled()
    await running.restartControllers()
    cloud.fault = () => undefined
    await running.advance("5s")
    expect(cloud.balancers.size).toBe(0)
    expect(await running.list(services, { namespace: "default", fieldSelector: "metadata.name=web" })).toEqual([])
  })
})

describe("a slow or failing cloud", () => {
  test("SlowNodeSync: one Service whose call hangs holds up no other, with one sync at once", async () => {
    await using made = await cloudCluster({ concurrentSyncs: 1 })
    const { running, cloud } = made
    cloud.fault = ({ about }) => (about === "default/slow" ? { hang: true } : undefined)
    await running.apply(newService({}, "slow"))
    await running.settled()
    for (const name of ["a", "b", "c"]) await running.apply(newService({}, name))
    await running.advance("1s")
    expect([...cloud.balancers.values()].map(({ service }) => service)).toEqual(["default/a", "default/b", "default/c"])
    cloud.fault = () => undefined
    await running.advance("6m")
    expect(cloud.balancers.size).toBe(4)
    expect((await made.events("slow")).at(1)).toBe(
      "Warning SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: the cloud did not ensure a load balancer within 270 s",
    )
  })

  test("a lost answer: no second balancer, and the Service gets the address of the first", async () => {
    await using made = await cloudCluster()
    const { running, cloud } = made
    let lost = 0
    cloud.fault = (): MemoryFault => ({ loseAnswer: lost++ === 0 })
    await running.apply(newService())
    await running.advance("5s")
    expect(cloud.writes).toBe(1)
    expect((await made.service()).status?.loadBalancer?.ingress).toMatchObject([{ ip: "192.0.2.1" }])
  })

  test("a Service that is deleted while its balancer is being made leaves none behind", async () => {
    await using made = await cloudCluster()
    const { running, cloud } = made
    cloud.fault = ({ verb }) => (verb === "ensure" ? { delay: 60_000, loseAnswer: true } : undefined)
    await running.apply(newService())
    await running.advance("10s")
    await running.client.delete(services, "default/web")
    await running.advance("2m")
    expect(cloud.balancers.size).toBe(0)
    expect(await running.list(services, { namespace: "default", fieldSelector: "metadata.name=web" })).toEqual([])
  })

  test("TestProcessServiceDeletion: one that went without its finalizer is cleaned from what is remembered", async () => {
    await using made = await cloudCluster()
    const { running, cloud } = made
    await running.apply(newService())
    await running.settled()
    await running.client.patch(services, "default/web", { metadata: { finalizers: null } })
    await running.client.delete(services, "default/web")
    await running.settled()
    expect(cloud.balancers.size).toBe(0)
    expect(made.calls().at(-1)).toBe("ensureDeleted default/web")
  })

  test("a Service created again under the same name: the old balancer is deleted first, and a failure of that is recorded", async () => {
    await using made = await cloudCluster()
    const { running, cloud } = made
    await running.apply(newService())
    await running.settled()
    const [old] = [...cloud.balancers.keys()]
    cloud.fault = ({ verb }) => (verb === "ensureDeleted" ? { fail: new CloudError("down") } : undefined)
    await running.client.patch(services, "default/web", { metadata: { finalizers: null } })
    await running.client.delete(services, "default/web")
    await running.apply(newService())
    await running.settled()
    expect([...cloud.balancers.keys()]).toEqual([old])
    // Whether the controller sees the Service between its two lives decides how often it tries.
    expect(await made.events()).toContainEqual(
      expect.stringMatching(/^Warning DeleteLoadBalancerFailed: Error deleting load balancer: down( \(x\d\))?$/),
    )
    cloud.fault = () => undefined
    await running.advance("10s")
    expect(cloud.balancers.size).toBe(1)
    expect([...cloud.balancers.keys()]).not.toEqual([old])
    expect((await made.service()).status?.loadBalancer?.ingress).toMatchObject([{ ip: "192.0.2.2" }])
  })
})

describe("ProcessServiceCreateOrUpdateK8sError", () => {
  const failing = (error: () => Error, times: number) => {
    const state = { left: times }
    const layer = (inner: Transport): Transport => {
      return (request) => {
        const isStatus = request.path.endsWith("/services/web/status") && JSON.stringify(request.body).includes("loadBalancer")
        if (!isStatus || state.left-- <= 0) return inner(request)
        return Promise.reject(error())
      }
    }
    return layer
  }
  const resource = { group: "", plural: "services" }
  const rows: readonly [string, () => Error][] = [
    ["conflict error", () => conflict(resource, "web", "changed")],
    ["any other error", () => internalError("broken")],
  ]
  test.each(rows)("%s: the status is written again, without another call to the cloud", async (_what, error) => {
    await using made = await cloudCluster({ layer: failing(error, 2) })
    await made.running.apply(newService())
    await made.running.advance("10m")
    expect((await made.service()).status?.loadBalancer?.ingress).toHaveLength(1)
    expect(made.calls()).toEqual(["ensure default/web"])
    expect((await made.events()).some((text) => text.includes("failed to update load balancer status"))).toBe(true)
  })

  test("backs off and records an event when the finalizer cannot be removed", async () => {
    const state = { fails: false }
    const layer = (inner: Transport): Transport => {
      return (request) => {
        const isRelease = request.verb === "PATCH" && JSON.stringify(request.body).includes("$deleteFromPrimitiveList/finalizers")
        if (!state.fails || !isRelease) return inner(request)
        return Promise.reject(forbidden(resource, "web", "a webhook says no"))
      }
    }
    await using made = await cloudCluster({ layer })
    await made.running.apply(newService())
    await made.running.settled()
    state.fails = true
    const start = made.running.clock.now()
    const times: number[] = []
    made.cloud.fault = ({ verb }) => {
      if (verb === "ensureDeleted") times.push(Math.round((made.running.clock.now() - start) / 1000))
      return undefined
    }
    await made.running.client.delete(services, "default/web")
    await made.running.advance("20m")
    // The first status write enqueues the key once, without the wait.
    expect(times).toEqual([0, 0, 10, 30, 70, 150, 310, 610, 910])
    const said = (await made.events()).join()
    expect(said).toContain("Error syncing load balancer: failed to remove load balancer cleanup finalizer: ")
    expect(said).not.toContain("DeletedLoadBalancer")
    state.fails = false
    await made.running.advance("5m")
    expect(await made.running.list(services, { namespace: "default", fieldSelector: "metadata.name=web" })).toEqual([])
    expect(await made.events()).toContain(deleted)
  })

  test("not found error: the Service is gone, and nothing is tried again", async () => {
    const seen: TransportRequest[] = []
    await using made = await cloudCluster({ layer: writes(seen) })
    const { running } = made
    await running.apply(newService())
    await running.settled()
    await running.client.delete(services, "default/web")
    await running.settled()
    seen.length = 0
    await running.advance("1h")
    expect(seen).toEqual([])
  })
})

test("crash points: no orphan, no second balancer, the same end", async () => {
  const clouds = new WeakMap<Clock, MemoryCloud>()
  const cloudOf = (clock: Clock) => {
    const cloud = clouds.get(clock) ?? new MemoryCloud({ clock })
    clouds.set(clock, cloud)
    return cloud
  }
  const extra = (clock: Clock) => [serviceController({ balancers: memoryProvider({ cloud: cloudOf(clock) }).loadBalancers!, clock })]
  const report = await crashPoints(
    {
      cluster: { controllers: [], extra, nodes: 1 },
      async run(running) {
        await running.apply(newService({}, "stays"))
        await running.apply(newService({}, "goes"))
        await running.apply(newService({}, "turns"))
        await running.advance("10s")
        await running.client.delete(services, "default/goes")
        await running.client.patch(services, "default/turns", { spec: { type: "ClusterIP" } })
        await running.advance("10m")
      },
      async end(running) {
        const found = await running.list(services, { namespace: "default" })
        const shown = found.map(({ metadata, status }) => [metadata.name, metadata.finalizers, status?.loadBalancer?.ingress?.length])
        return { shown, balancers: [...cloudOf(running.clock).balancers.values()].map(({ service }) => service) }
      },
    },
    { sample: 30 },
  )
  expect(report.tried).toBe(30)
})

test("two clusters on one cloud never share a balancer", async () => {
  const made: { cloud?: MemoryCloud } = {}
  const extra = (clusterName: string) => (clock: Clock) => {
    made.cloud ??= new MemoryCloud({ clock })
    return [serviceController({ balancers: memoryProvider({ cloud: made.cloud, clusterName }).loadBalancers!, clock })]
  }
  // The same seed gives both Services the same UID.
  await using one = await cluster({ controllers: [], extra: extra("one") })
  await using two = await cluster({ controllers: [], extra: extra("two") })
  for (const running of [one, two]) {
    await running.apply(newService())
    await running.settled()
  }
  expect(made.cloud?.balancers.size).toBe(2)
  await two.client.delete(services, "default/web")
  await two.settled()
  expect([...(made.cloud?.balancers.values() ?? [])].map(({ cluster: owner }) => owner)).toEqual(["one"])
  expect((await one.list(events, { namespace: "default" })).map(({ reason }) => reason)).not.toContain("DeletingLoadBalancer")
})
