import { events, services } from "@pilothouse/api/core/v1"
import type { Clock } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { MemoryCloud } from "../memory/memory-cloud.ts"
import { memoryProvider } from "../memory/provider.ts"
import type { Ensured, LoadBalancers } from "../provider/provider.ts"
import { serviceController } from "./controller.ts"
import { newService } from "./testing/cloud-cluster.ts"

/** A cloud that says what it calls the balancer. */
function naming(cloud: MemoryCloud, said: Partial<Ensured> = { annotations: { "example.org/balancer": "seven" } }): LoadBalancers {
  const inner = memoryProvider({ cloud }).loadBalancers!
  return {
    name: (service) => inner.name(service),
    get: (service, signal) => inner.get(service, signal),
    update: (service, nodes, signal) => inner.update(service, nodes, signal),
    ensureDeleted: (service, signal) => inner.ensureDeleted(service, signal),
    ensure: async (service, nodes, signal) => ({
      ...(await inner.ensure(service, nodes, signal)),
      ...said,
    }),
  }
}

test("what the cloud calls a balancer is written on the Service once, beside what is there, and is no reason to ensure it again", async () => {
  let cloud: MemoryCloud | undefined
  const extra = (clock: Clock) => {
    cloud ??= new MemoryCloud({ clock })
    return [serviceController({ balancers: naming(cloud), clock })]
  }
  await using running = await cluster({ controllers: [], extra })
  const service = newService()
  await running.apply({ ...service, metadata: { ...service.metadata, annotations: { own: "kept" } } })
  await running.settled()
  const found = await running.client.get(services, "default/web")
  expect(found.metadata.annotations).toMatchObject({ own: "kept", "example.org/balancer": "seven" })
  await running.advance("10m")
  expect(cloud!.calls.filter(({ verb }) => verb === "ensure")).toHaveLength(1)
  const told = (await running.list(events, { namespace: "default" })).filter(({ reason }) => reason === "EnsuredLoadBalancer")
  expect(told.map(({ count }) => count)).toEqual([1])
  const { resourceVersion } = (await running.client.get(services, "default/web")).metadata
  await running.restartControllers()
  await running.advance("1m")
  expect((await running.client.get(services, "default/web")).metadata.resourceVersion).toBe(resourceVersion)
})

test("notices of the cloud and a balancer without nodes become events of upstream's controller", async () => {
  const extra = (clock: Clock) => {
    const notices = [{ type: "Warning" as const, reason: "Full", message: "no more after this one" }]
    return [serviceController({ balancers: naming(new MemoryCloud({ clock }), { notices }), clock })]
  }
  await using running = await cluster({ controllers: [], extra, nodes: 0 })
  await running.apply(newService())
  await running.settled()
  const told = await running.list(events, { namespace: "default" })
  expect(told.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual(
    expect.arrayContaining([
      "Warning Full: no more after this one",
      "Warning UnAvailableLoadBalancer: There are no available nodes for LoadBalancer",
    ]),
  )
  expect(new Set(told.map(({ source, reportingComponent }) => source?.component ?? reportingComponent))).toEqual(
    new Set(["service-controller"]),
  )
})
