import type { KubeObject } from "@pilothouse/api"
import { endpoints, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"

const only = { nodes: 0, controllers: ["endpointslice-mirroring", "garbage-collector"] }
const metadata = { name: "db", namespace: "default" }
const service = { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 5432 }] } } as KubeObject
const byHand = (...ips: readonly string[]) =>
  ({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata,
    subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 5432 }] }],
  }) as KubeObject

async function mirrored(running: Cluster): Promise<readonly string[]> {
  await running.settled()
  const slices = await running.list(endpointSlices, { namespace: "default" })
  const own = slices.filter((slice) => slice.metadata.labels?.["kubernetes.io/service-name"] === "db")
  return own.map(({ endpoints: all = [] }) => all.map((one) => one.addresses[0]).join(" "))
}

test("Endpoints written by hand have a slice that follows them", async () => {
  await using running = await cluster(only)
  await running.apply([service, byHand("192.0.2.1")])
  expect(await mirrored(running)).toEqual(["192.0.2.1"])
  await running.apply([byHand("192.0.2.1", "192.0.2.2")])
  expect(await mirrored(running)).toEqual(["192.0.2.1 192.0.2.2"])
  await running.client.delete(endpoints, "default/db")
  expect(await mirrored(running)).toEqual([])
})

test("Endpoints without a Service are mirrored when it comes, and no longer when it has a selector", async () => {
  await using running = await cluster(only)
  await running.apply([byHand("192.0.2.1")])
  expect(await mirrored(running)).toEqual([])
  await running.apply([service])
  expect(await mirrored(running)).toEqual(["192.0.2.1"])
  await running.client.patch(services, "default/db", { spec: { selector: { app: "db" } } })
  expect(await mirrored(running)).toEqual([])
  await running.client.patch(services, "default/db", { spec: { selector: null } })
  expect(await mirrored(running)).toEqual(["192.0.2.1"])
  await running.client.delete(services, "default/db")
  expect(await mirrored(running)).toEqual([])
})

test("a slice that a user changes or deletes is put right", async () => {
  await using running = await cluster(only)
  await running.apply([service, byHand("192.0.2.1")])
  await running.settled()
  const slice = (await running.list(endpointSlices, { namespace: "default" })).find(
    ({ metadata: { labels } }) => labels?.["kubernetes.io/service-name"] === "db",
  )
  await running.client.patch(endpointSlices, slice as KubeObject, { endpoints: [{ addresses: ["192.0.2.99"] }] })
  expect(await mirrored(running)).toEqual(["192.0.2.1"])
  await running.client.delete(endpointSlices, slice as KubeObject)
  expect(await mirrored(running)).toEqual(["192.0.2.1"])
})

test("Endpoints of the API server itself are not mirrored", async () => {
  await using running = await cluster(only)
  await running.settled()
  const slices = await running.list(endpointSlices, { namespace: "default" })
  expect(
    slices.filter(({ metadata: { labels } }) => labels?.["endpointslice.kubernetes.io/managed-by"]?.startsWith("endpointslicemirroring")),
  ).toEqual([])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply([service, byHand("192.0.2.1", "fd00::1")])
        await running.advance("30s")
        await running.apply([byHand("192.0.2.2")])
        await running.advance("60s")
      },
    },
    { sample: 6, seed: 3, writers: ["endpointslice-mirroring-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
