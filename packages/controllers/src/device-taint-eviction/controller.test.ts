import { events, pods } from "@pilothouse/api/core/v1"
import { type DeviceTaint, type ResourceSlice, resourceSlices } from "@pilothouse/api/resource/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { claimOf, podWith } from "../resource-claim/testing/objects.ts"

const options = { controllers: ["device-taint-eviction-controller"], nodes: 1 }

const slice = (taints: readonly DeviceTaint[] = []): ResourceSlice => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name: "gpus" },
  spec: {
    driver: "gpu.example.com",
    nodeName: "node-1",
    pool: { name: "node-1", generation: 1, resourceSliceCount: 1 },
    devices: [{ name: "gpu-0", taints }, { name: "gpu-1" }],
  },
})

/** Two pods with a device each, that of the first with this toleration. */
async function start(running: Cluster, tolerationSeconds?: number): Promise<void> {
  await running.apply({ apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: { name: "gpu.example.com" }, spec: {} })
  await running.apply(slice())
  const tolerations = tolerationSeconds === undefined ? [] : [{ key: "broken", operator: "Exists" as const, tolerationSeconds }]
  for (const name of ["a", "b"]) {
    const { spec } = claimOf(undefined, name)
    const requests = [{ name: "gpu", exactly: { ...spec.devices!.requests![0]!.exactly!, ...(name === "a" && { tolerations }) } }]
    await running.apply({
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceClaim",
      metadata: { name, namespace: "default" },
      spec: { devices: { requests } },
    })
    await running.apply({ ...podWith(name, [{ name: "gpu", resourceClaimName: name }]), metadata: { name, namespace: "default" } })
    await running.advance("2s")
  }
}

async function taint(running: Cluster): Promise<void> {
  // The server says since when.
  const broken: DeviceTaint = { key: "broken", effect: "NoExecute" }
  await running.client.patch(resourceSlices, "gpus", { spec: { devices: slice([broken]).spec.devices } })
}

const left = async (running: Cluster) => (await running.list(pods)).map(({ metadata }) => metadata.name)

test("a pod whose device is tainted goes, and no other", async () => {
  await using running = await cluster(options)
  await start(running)
  await taint(running)
  await running.advance("40s")
  expect(await left(running)).toEqual(["b"])
  expect((await running.list(events)).map(({ reason, message }) => `${reason}: ${message}`)).toContain(
    "DeviceTaintManagerEviction: Marking for deletion",
  )
})

test("it goes when its toleration is over, also after a restart", async () => {
  await using running = await cluster(options)
  await start(running, 60)
  await taint(running)
  await running.advance("30s")
  await running.restartControllers()
  await running.advance("25s")
  expect(await left(running)).toEqual(["a", "b"])
  await running.advance("40s")
  expect(await left(running)).toEqual(["b"])
})

test("it stays when the taint is taken off before", async () => {
  await using running = await cluster(options)
  await start(running, 60)
  await taint(running)
  await running.advance("30s")
  await running.client.patch(resourceSlices, "gpus", { spec: { devices: slice().spec.devices } })
  await running.advance("5m")
  expect(await left(running)).toEqual(["a", "b"])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: options,
      async run(running) {
        await start(running)
        await taint(running)
        await running.advance("2m")
      },
      end: left,
    },
    { sample: 6, seed: 3, writers: ["device-taint-eviction-controller"] },
  )
  expect(report.tried).toBe(6)
})
