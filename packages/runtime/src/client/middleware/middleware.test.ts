import { memoryMetrics, noBody, PilothouseError, type Transport, type TransportRequest, VirtualClock } from "@pilothouse/seams"
import { carrierContract, echoServer, transportContract } from "@pilothouse/seams/contract"
import { describe, expect, test } from "vitest"
import { rateLimited } from "./rate-limit.ts"
import { measured } from "./request-metrics.ts"

const get: TransportRequest = { verb: "GET", path: "/x", query: {}, headers: {} }
const well: Transport = async () => ({ status: 200, headers: {}, body: noBody })

describe("rateLimited", () => {
  test("lets a burst go, and then so many per second, in order", async () => {
    const clock = new VirtualClock()
    const sent: [string, number][] = []
    const inner: Transport = async (request) => {
      sent.push([request.path, clock.elapsed()])
      return well(request)
    }
    const transport = rateLimited(inner, { clock, perSecond: 5, burst: 2 })
    await clock.run(Promise.all(["/a", "/b", "/c", "/d"].map((path) => transport({ ...get, path }))))
    expect(sent).toEqual([
      ["/a", 0],
      ["/b", 0],
      ["/c", 200],
      ["/d", 400],
    ])
    await clock.advance("10s")
    await clock.run(Promise.all([1, 2, 3].map(() => transport(get))))
    expect(sent.slice(4).map(([, time]) => time)).toEqual([10_400, 10_400, 10_600])
  })

  test("records how long requests wait, under client-go's name", async () => {
    const [clock, metrics] = [new VirtualClock(), memoryMetrics()]
    const transport = rateLimited(well, { clock, perSecond: 2, burst: 1, metrics, host: "api:6443" })
    await clock.run(Promise.all([1, 2, 3].map(() => transport(get))))
    const text = metrics.text()
    const labels = 'host="api:6443",verb="GET"'
    expect(text).toContain(`rest_client_rate_limiter_duration_seconds_sum{${labels}} 1.5`)
    expect(text).toContain(`rest_client_rate_limiter_duration_seconds_count{${labels}} 3`)
  })

  test("who leaves gives the place back", async () => {
    const clock = new VirtualClock()
    const transport = rateLimited(well, { clock, perSecond: 1, burst: 1 })
    const stop = new AbortController()
    await transport(get)
    const left = transport({ ...get, signal: stop.signal }).catch((error: unknown) => error)
    stop.abort()
    expect(await left).toMatchObject({ code: "ABORTED" })
    await clock.run(transport(get))
    expect(clock.elapsed()).toBe(1000)
  })
})

describe("measured", () => {
  test("counts under client-go's names", async () => {
    const clock = new VirtualClock()
    const metrics = memoryMetrics()
    const inner: Transport = async (request) => {
      await clock.sleep(20)
      if (request.path === "/lost") throw new PilothouseError("CONNECTION_LOST", "lost")
      return { status: request.path === "/x" ? 200 : 404, headers: {}, body: noBody }
    }
    const transport = measured(inner, { metrics, clock, host: "api:6443" })
    await clock.run(transport(get))
    await clock.run(transport({ ...get, path: "/none" }))
    await expect(clock.run(transport({ ...get, path: "/lost" }))).rejects.toThrow("lost")
    expect(metrics.value("rest_client_requests_total", { code: "200", method: "GET", host: "api:6443" })).toBe(1)
    expect(metrics.value("rest_client_requests_total", { code: "404", method: "GET", host: "api:6443" })).toBe(1)
    expect(metrics.value("rest_client_requests_total", { code: "<error>", method: "GET", host: "api:6443" })).toBe(1)
    expect(metrics.text()).toContain('rest_client_request_duration_seconds_bucket{host="api:6443",le="0.025",verb="GET"} 3')
  })
})

const layers: Record<string, (inner: Transport) => Transport> = {
  rateLimited: (inner) => rateLimited(inner, { clock: new VirtualClock(), perSecond: 1000, burst: 1000 }),
  measured: (inner) => measured(inner, { clock: new VirtualClock(), metrics: memoryMetrics() }),
}
for (const [name, layer] of Object.entries(layers)) {
  transportContract(name, () => {
    const server = echoServer()
    return { ...server, transport: layer(server.transport) }
  })
  carrierContract(name, layer)
}
