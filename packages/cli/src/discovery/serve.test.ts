import { memoryMetrics, silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { serveDiscovery } from "./serve.ts"

function serve(host: string, port: number) {
  const metrics = memoryMetrics()
  const seams = { clock: systemClock, random: systemRandom(), log: silentLog, metrics, metricsText: () => metrics.text() }
  return serveDiscovery({ ...seams, sources: [], host, port })
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
