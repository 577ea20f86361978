import { memoryMetrics, silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { type ServeDiscoveryOptions, serveDiscovery } from "./serve.ts"

function serve(host: string, port: number, more: Partial<ServeDiscoveryOptions> = {}) {
  const metrics = memoryMetrics()
  const seams = { clock: systemClock, random: systemRandom(), log: silentLog, metrics, metricsText: () => metrics.text() }
  return serveDiscovery({ ...seams, sources: [], host, port, ...more })
}

test("wherever xDS is, its debug pages and metrics are on this machine's own address only", async () => {
  await using served = await serve("localhost", 0)
  expect(served.address).toMatch(/^localhost:/)
  expect(served.debugAddress).toMatch(/^http:\/\/127\.0\.0\.1:/)
  const pages = await Promise.all(["/debug", "/metrics"].map(async (path) => (await fetch(`${served.debugAddress}${path}`)).status))
  expect(pages).toEqual([200, 200])
})

test("a port that is taken: the next one", async () => {
  await using first = await serve("127.0.0.1", 0)
  const port = Number(first.address.split(":")[1])
  await using second = await serve("127.0.0.1", port)
  expect(Number(second.address.split(":")[1])).toBeGreaterThan(port)
})

test("who wants to know is told when everything that was there has been read", async () => {
  await using running = await cluster({ nodes: 0 })
  const told: string[] = []
  const sources = [{ cluster: "Kubernetes", client: running.client }]
  await using _served = await serve("127.0.0.1", 0, { sources, clock: running.clock, onFirstState: () => told.push("told") })
  expect(told).toEqual([])
  await running.advance("5s")
  expect(told).toEqual(["told"])
})
