import { type KubeObject, serviceUnavailable } from "@pilothouse/api"
import { events, services } from "@pilothouse/api/core/v1"
import { ipAddresses, type ServiceCIDR, serviceCIDRs } from "@pilothouse/api/networking/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { noting, refusing } from "../testing/layers.ts"

const only = { nodes: 0, controllers: ["service-cidr"] }
const range = (name: string, ...cidrs: readonly string[]): ServiceCIDR => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  metadata: { name },
  spec: { cidrs },
})
const service = (name: string, clusterIP: string) =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { clusterIP, ports: [{ port: 80 }] },
  }) as KubeObject

async function ready(running: Cluster, name: string): Promise<string> {
  await running.settled()
  const found = (await running.list(serviceCIDRs)).find(({ metadata }) => metadata.name === name)
  const [condition] = found?.status?.conditions ?? []
  return found === undefined ? "gone" : `${condition?.status} ${condition?.reason ?? ""}`.trim()
}

describe("a ServiceCIDR on a server", () => {
  test("is ready, and gives Services their addresses", async () => {
    await using running = await cluster(only)
    await running.apply([range("more", "10.200.0.0/24")])
    expect([await ready(running, "more"), await ready(running, "kubernetes")]).toEqual(["True", "True"])
    await running.apply([service("a", "10.200.0.9")])
    expect((await running.client.get(ipAddresses, "10.200.0.9")).spec.parentRef).toMatchObject({
      resource: "services",
      namespace: "default",
      name: "a",
    })
  })

  test("with an address in use stays until its Service is gone, and gives out no more", async () => {
    await using running = await cluster(only)
    await running.apply([range("more", "10.200.0.0/24")])
    await running.settled()
    await running.apply([service("a", "10.200.0.9")])
    await running.client.delete(serviceCIDRs, "more")
    await running.advance("15s")
    expect(await ready(running, "more")).toBe("False Terminating")
    await expect(running.client.create(services, service("b", "10.200.0.10"))).rejects.toThrow("does not match the current range")
    await running.client.delete(services, "default/a")
    await running.advance("2s")
    expect(await ready(running, "more")).toBe("gone")
  })

  test("goes after ten seconds when another range has its addresses", async () => {
    await using running = await cluster(only)
    await running.apply([range("more", "10.200.0.0/24"), range("wide", "10.192.0.0/10")])
    await running.settled()
    await running.apply([service("a", "10.200.0.9")])
    await running.client.delete(serviceCIDRs, "more")
    await running.advance("8s")
    expect(await ready(running, "more")).toBe("True")
    await running.advance("3s")
    expect(await ready(running, "more")).toBe("gone")
  })

  test("that waits goes when a range with its addresses comes", async () => {
    await using running = await cluster(only)
    await running.apply([range("more", "10.200.0.0/24")])
    await running.settled()
    await running.apply([service("a", "10.200.0.9")])
    await running.client.delete(serviceCIDRs, "more")
    await running.advance("15s")
    expect(await ready(running, "more")).toBe("False Terminating")
    await running.apply([range("again", "10.200.0.0/24")])
    await running.advance("2s")
    expect(await ready(running, "more")).toBe("gone")
  })

  test("and its twin, both deleted, keep the addresses that only they have", async () => {
    await using running = await cluster(only)
    await running.apply([range("one", "10.200.0.0/24"), range("two", "10.200.0.0/24")])
    await running.settled()
    await running.apply([service("a", "10.200.0.9")])
    await running.client.delete(serviceCIDRs, "one")
    await running.client.delete(serviceCIDRs, "two")
    await running.advance("60s")
    expect([await ready(running, "one"), await ready(running, "two")]).toEqual(["False Terminating", "False Terminating"])
  })

  test("addresses that users reserve do not keep it", async () => {
    await using running = await cluster(only)
    const reserved = {
      apiVersion: "networking.k8s.io/v1",
      kind: "IPAddress",
      metadata: { name: "10.200.0.9" },
      spec: { parentRef: { resource: "gateways", name: "g" } },
    }
    await running.apply([range("more", "10.200.0.0/24"), reserved as KubeObject])
    await running.settled()
    await running.client.delete(serviceCIDRs, "more")
    await running.advance("12s")
    expect(await ready(running, "more")).toBe("gone")
  })
})

test("upstream's two writes for a new one, one for a deleted one, and none in quiet", async () => {
  const writes: string[] = []
  await using running = await cluster({ ...only, layer: noting(writes, "service-cidr-controller") })
  await running.settled()
  expect(writes).toEqual([])
  // The range of the API server, which was Ready at once, is taken over later.
  await running.advance("2s")
  expect(writes.splice(0)).toHaveLength(2)
  await running.apply([range("more", "10.200.0.0/24")])
  await running.settled()
  const path = "/apis/networking.k8s.io/v1/servicecidrs/more"
  expect(writes).toEqual([`PUT ${path}`, `PATCH ${path}/status`])
  await running.advance("10m")
  expect(writes).toHaveLength(2)
  await running.client.delete(serviceCIDRs, "more")
  await running.advance("12s")
  expect(writes.slice(2)).toEqual([`PUT ${path}`])
})

test("a status that is refused for ever is tried again with growing waits, and reported", async () => {
  let tries = 0
  const refused = refusing(({ verb, path }) => {
    if (verb !== "PATCH" || !path.endsWith("/servicecidrs/more/status")) return undefined
    tries++
    return serviceUnavailable("no")
  })
  await using running = await cluster({ ...only, layer: refused })
  await running.apply([range("more", "10.200.0.0/24")])
  await running.advance("10m")
  expect(tries).toBeGreaterThan(5)
  expect(tries).toBeLessThan(30)
  const reasons = (await running.list(events, { namespace: "default" })).map(({ reason }) => reason)
  expect(reasons).toContain("KubernetesServiceCIDRError")
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply([range("more", "10.200.0.0/24")])
        await running.advance("30s")
        await running.apply([service("a", "10.200.0.9")])
        await running.client.delete(serviceCIDRs, "more")
        await running.advance("60s")
        await running.client.delete(services, "default/a")
        await running.advance("60s")
      },
    },
    { sample: 8, seed: 3, writers: ["service-cidr-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
