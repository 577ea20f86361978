import { resourceClaims } from "@pilothouse/api/resource/v1"
import { type ResourcePoolStatusRequest, resourcePoolStatusRequests } from "@pilothouse/api/resource/v1alpha3"
import { memoryMetrics } from "@pilothouse/seams"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { allocatedClaim, poolStatusVersion, slice, statusRequest } from "./testing/objects.ts"

const name = "resourcepoolstatusrequest-controller"
const only = { nodes: 0, controllers: [name], enabledVersions: [poolStatusVersion] }

function request(of: string, spec: object = {}): ResourcePoolStatusRequest {
  return { ...statusRequest(of, spec), metadata: { name: of } }
}

async function statusOf(running: Cluster, of: string): Promise<ResourcePoolStatusRequest["status"]> {
  await running.settled()
  return (await running.client.get(resourcePoolStatusRequests, of)).status
}

test("a request is answered once, with its metrics, also where roles are enforced", async () => {
  const metrics = memoryMetrics()
  await using running = await cluster({ ...only, rbac: true, needs: { metrics } })
  await running.apply(slice("a", { devices: 4 }))
  const { status: allocated, ...claim } = allocatedClaim("x", "a", 3)
  await running.apply(claim)
  const found = await running.client.get(resourceClaims, "default/x")
  await running.client.updateStatus(resourceClaims, { ...found, status: allocated })
  await running.settled()
  await running.apply(request("r"))
  const status = await statusOf(running, "r")
  expect(status).toMatchObject({ poolCount: 1, pools: [{ poolName: "a", totalDevices: 4, allocatedDevices: 3, availableDevices: 1 }] })
  await running.apply(slice("b"))
  expect(await statusOf(running, "r")).toEqual(status)
  expect(metrics.value("resourcepoolstatusrequest_controller_requests_processed_total", { driver_name: "gpu.example.com" })).toBe(1)
})

test("a pool of which slices are missing is answered when they come", async () => {
  await using running = await cluster(only)
  await running.apply(slice("a", { expected: 2, name: "first" }))
  await running.apply(request("r"))
  await running.advance("10m")
  expect(await statusOf(running, "r")).toBeUndefined()
  await running.apply(slice("a", { expected: 2, name: "second" }))
  expect((await statusOf(running, "r"))?.pools).toMatchObject([{ resourceSliceCount: 2, totalDevices: 2 }])
})

test("requests go an hour after their answer, and a day after they were not answered", async () => {
  await using running = await cluster(only)
  await running.apply(slice("a", { expected: 2 }))
  await running.apply(request("open"))
  await running.apply(request("answered", { driver: "none.example.com" }))
  const names = async () => (await running.list(resourcePoolStatusRequests)).map(({ metadata }) => metadata.name)
  await running.advance("59m")
  expect(await names()).toEqual(["answered", "open"])
  await running.advance("2m")
  expect(await names()).toEqual(["open"])
  await running.advance("23h")
  expect(await names()).toEqual([])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply(slice("a"))
        await running.apply(request("r"))
        await running.advance("2h")
      },
    },
    { sample: 6, seed: 3, writers: ["resourcepoolstatusrequest-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
