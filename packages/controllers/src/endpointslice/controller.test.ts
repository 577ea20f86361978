import { forbidden } from "@pilothouse/api"
import { events, namespaces, nodes, pods, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import type { Transport } from "@pilothouse/seams"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { newPod, newService, writesOf } from "../service-endpoints/testing/cluster.ts"
import { endpointSliceController } from "./controller.ts"

const only = { controllers: ["endpointslice"] }
const ours = "endpointslice.kubernetes.io/managed-by"

/** The API server has slices of its own. */
function slicesOf(running: Cluster): Promise<readonly EndpointSlice[]> {
  return running.list(endpointSlices, { namespace: "default", labelSelector: "kubernetes.io/service-name=web" })
}

async function listed(running: Cluster): Promise<readonly string[]> {
  const slices = await slicesOf(running)
  return slices.flatMap((slice) => slice.endpoints?.map(({ targetRef }) => targetRef?.name ?? "") ?? []).sort()
}

async function onlySlice(running: Cluster): Promise<EndpointSlice> {
  const [slice, ...others] = await slicesOf(running)
  if (slice === undefined || others.length > 0) throw new Error(`expected one slice, found ${others.length + 1}`)
  return slice
}

describe("slices of a Service", () => {
  test("SyncServiceWithSelector, PodSelection: follow its pods", async () => {
    await using running = await cluster(only)
    await running.apply(newService())
    await running.settled()
    expect(await onlySlice(running)).toMatchObject({ addressType: "IPv4", metadata: { labels: { "kubernetes.io/service-name": "web" } } })
    for (const number of [1, 2]) await running.apply(newPod(number))
    const stranger = newPod(3)
    await running.apply({ ...stranger, metadata: { ...stranger.metadata, labels: { app: "other" } } })
    await running.settled()
    expect(await listed(running)).toEqual(["web-1", "web-2"])
    await running.client.delete(pods, "default/web-1")
    await running.settled()
    expect(await listed(running)).toEqual(["web-2"])
  })

  test("are filled up to the limit, one write for each slice", async () => {
    const writes = writesOf("endpointslices")
    const extra = [endpointSliceController({ maxEndpointsPerSlice: 4, updatesBatchPeriod: "1s" })]
    await using running = await cluster({ controllers: [], extra, layer: writes.layer })
    for (let number = 1; number <= 10; number++) await running.apply(newPod(number))
    await running.settled()
    await running.apply(newService())
    await running.advance("10s")
    expect((await slicesOf(running)).map((slice) => slice.endpoints?.length).sort()).toEqual([2, 4, 4])
    expect(writes.seen).toEqual(["POST", "POST", "POST"])
  })

  test("name the zone of the node, also when it comes later", async () => {
    await using running = await cluster(only)
    await running.apply(newService({ trafficDistribution: "PreferSameZone" }))
    await running.apply(newPod(1))
    await running.settled()
    expect((await onlySlice(running)).endpoints?.[0]?.zone).toBeUndefined()
    await running.client.patch(nodes, "node-1", { metadata: { labels: { "topology.kubernetes.io/zone": "a" } } })
    await running.settled()
    expect((await onlySlice(running)).endpoints?.[0]).toMatchObject({ zone: "a", hints: { forZones: [{ name: "a" }] } })
  })

  test("OnEndpointSliceUpdate: an edit is undone a second later, and a slice that loses our label is replaced", async () => {
    await using running = await cluster(only)
    await running.apply(newService())
    await running.apply(newPod(1))
    await running.advance("5s")
    const slice = await onlySlice(running)
    await running.client.patch(endpointSlices, slice, { endpoints: [] })
    await running.settled()
    expect(await listed(running)).toEqual([])
    await running.advance("1s")
    expect(await listed(running)).toEqual(["web-1"])
    await running.client.patch(endpointSlices, slice, { metadata: { labels: { [ours]: "other" } } })
    await running.advance("1s")
    expect((await slicesOf(running)).map(({ metadata }) => metadata.labels?.[ours]).sort()).toEqual([
      "endpointslice-controller.k8s.io",
      "other",
    ])
  })

  test("SyncServiceEndpointSlicePendingDeletion: one that waits for a finalizer is not counted on", async () => {
    await using running = await cluster(only)
    await running.apply(newService())
    await running.apply(newPod(1))
    await running.advance("5s")
    const slice = await onlySlice(running)
    await running.client.patch(endpointSlices, slice, { metadata: { finalizers: ["example.com/held"] } })
    await running.client.delete(endpointSlices, slice)
    await running.advance("5s")
    const alive = (await slicesOf(running)).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    expect(alive.map((one) => one.endpoints?.length)).toEqual([1])
  })

  test("a pod that waits for its node is listed when the node comes", async () => {
    await using running = await cluster({ controllers: ["endpointslice"] })
    await running.apply(newService())
    const pod = newPod(1)
    await running.apply({ ...pod, spec: { ...pod.spec!, nodeName: "late" } })
    const status = { phase: "Running", podIP: "10.9.0.1", podIPs: [{ ip: "10.9.0.1" }], conditions: [{ type: "Ready", status: "True" }] }
    await running.client.patch(pods, "default/web-1", { status }, { subresource: "status" })
    await running.settled()
    expect(await listed(running)).toEqual([])
    const said = (await running.list(events)).find(({ reason }) => reason === "FailedToUpdateEndpointSlices")
    expect(said).toMatchObject({ source: { component: "endpoint-slice-controller" }, involvedObject: { kind: "Service", name: "web" } })
    await running.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "late" } })
    await running.settled()
    expect(await listed(running)).toEqual(["web-1"])
  })
})

describe("bad weather", () => {
  test("SyncServiceStaleInformer: with a cache that lags two seconds no slice is made twice", async () => {
    const writes = writesOf("endpointslices")
    // The layer is made before the cluster that it wraps.
    const inTime: { running?: Cluster } = {}
    const lagging = (inner: Transport): Transport => {
      const noted = writes.layer(inner)
      return async (request) => {
        const response = await noted(request)
        if (request.query.watch !== "true" || !request.path.endsWith("/endpointslices") || response.body.type !== "stream") return response
        return {
          ...response,
          body: {
            ...response.body,
            frames: late(response.body.frames, () => inTime.running?.clock.sleep(2000, { signal: request.signal })),
          },
        }
      }
    }
    await using made = await cluster({ ...only, layer: lagging })
    inTime.running = made
    await made.advance("5s")
    await made.apply(newService())
    for (let number = 1; number <= 3; number++) {
      await made.apply(newPod(number))
      await made.advance("500ms")
    }
    await made.advance("30s")
    expect(await listed(made)).toEqual(["web-1", "web-2", "web-3"])
    expect((await slicesOf(made)).length).toBe(1)
    expect(writes.seen.filter((one) => one === "POST")).toHaveLength(1)
  })

  test("what the server refuses is said and tried fifteen times, 1 s apart at first", async () => {
    const times: number[] = []
    // The layer is made before the cluster that it wraps.
    const inTime: { running?: Cluster } = {}
    const layer =
      (inner: Transport): Transport =>
      (request) => {
        if (request.verb !== "POST" || !request.path.endsWith("/endpointslices")) return inner(request)
        times.push(inTime.running?.clock.now() ?? 0)
        return Promise.reject(forbidden({ plural: "endpointslices", group: "discovery.k8s.io" }, "web", "no more of them"))
      }
    await using made = await cluster({ ...only, layer })
    inTime.running = made
    await made.apply(newService())
    await made.advance("1m")
    const said = (await made.list(events)).find(({ reason }) => reason === "FailedToUpdateEndpointSlices")
    await made.advance("2h")
    expect(times).toHaveLength(16)
    expect(times.slice(1, 5).map((time, at) => Math.round((time - times[at]!) / 1000))).toEqual([1, 2, 4, 8])
    expect(said?.message).toContain(
      "Error updating Endpoint Slices for Service default/web: failed to create EndpointSlice for Service default/web: ",
    )
  })

  test("a namespace that goes away refuses slices: no event, no second try", async () => {
    const writes = writesOf("endpointslices")
    await using running = await cluster({ ...only, layer: writes.layer })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "going", finalizers: ["example.com/held"] } })
    await running.client.create(services, newService({}, { namespace: "going" }))
    await running.advance("5s")
    await running.client.delete(namespaces, "going")
    const [slice] = await running.list(endpointSlices, { namespace: "going" })
    writes.seen.length = 0
    await running.client.delete(endpointSlices, slice!)
    await running.advance("30m")
    expect(writes.seen).toEqual(["POST"])
    expect((await running.list(events)).filter(({ reason }) => reason?.startsWith("FailedTo"))).toEqual([])
  })

  test("a crash at any call ends the same", async () => {
    const report = await crashPoints(
      {
        cluster: { controllers: [], extra: [endpointSliceController({ maxEndpointsPerSlice: 2 })] },
        async run(running) {
          await running.apply(newService({}, { labels: { tier: "front" } }))
          for (const number of [1, 2, 3]) await running.apply(newPod(number))
          await running.advance("40s")
          await running.client.delete(pods, "default/web-2")
          await running.client.patch(services, "default/web", { spec: { ports: [{ port: 80, targetPort: 9090 }] } })
          await running.advance("60s")
        },
        async end(running) {
          const slices = await slicesOf(running)
          return { names: await listed(running), ports: [...new Set(slices.map((slice) => slice.ports?.[0]?.port))] }
        },
      },
      { sample: 10, seed: 3, writers: ["endpointslice-controller"] },
    )
    expect(report.tried).toBe(10)
  })
})

async function* late<T>(frames: AsyncIterable<T>, sleep: () => Promise<void> | undefined): AsyncIterable<T> {
  for await (const frame of frames) {
    await sleep()
    yield frame
  }
}
