import { once } from "node:events"
import { connect } from "node:http2"
import { type Client, createClient } from "@pilothouse/runtime"
import { memoryMetrics, silentLog, type Transport } from "@pilothouse/seams"
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

const portOf = (address: string) => Number(address.split(":").at(-1))

test("a port that is taken: the next one, of the debug pages too", async () => {
  await using first = await serve("127.0.0.1", 0, { debugPort: 0 })
  const [port, debugPort] = [portOf(first.address), portOf(first.debugAddress)]
  await using second = await serve("127.0.0.1", port, { debugPort })
  expect([portOf(second.address) > port, portOf(second.debugAddress) > debugPort]).toEqual([true, true])
})

test("a last port that is taken is called that, and not the one behind it", async () => {
  await using first = await serve("127.0.0.1", 65_535)
  await expect(serve("127.0.0.1", 65_535)).rejects.toMatchObject({
    code: "PORT_TAKEN",
    message: expect.stringContaining("65535") as string,
  })
  expect(portOf(first.address)).toBe(65_535)
})

test("the debug pages are where Istio has them, or nearby", async () => {
  await using served = await serve("127.0.0.1", 0)
  expect(portOf(served.debugAddress)).toBeGreaterThanOrEqual(15_014)
  expect(portOf(served.debugAddress)).toBeLessThan(15_014 + 21)
})

test("limits reach the server, and what is read its registry", async () => {
  await using running = await cluster({ nodes: 0 })
  const sources = [{ cluster: "Kubernetes", client: running.client }]
  const more = { limits: { streamsPerConnection: 7 }, reading: { domainSuffix: "x.org" }, clock: running.clock }
  await using served = await serve("127.0.0.1", 0, { sources, ...more })
  await running.advance("5s")
  const session = connect(`http://${served.address}`)
  const [settings] = (await once(session, "remoteSettings")) as [{ maxConcurrentStreams?: number }]
  session.destroy()
  expect(settings.maxConcurrentStreams).toBe(7)
  const services = (await (await fetch(`${served.debugAddress}/debug/registryz`)).json()) as readonly { readonly hostname: string }[]
  expect(services.map(({ hostname }) => hostname)).toContain("kubernetes.default.svc.x.org")
  const stuck = await fetch(`${served.debugAddress}/debug/stuckz`)
  expect([stuck.status, await stuck.json()]).toEqual([200, []])
})

test("clusters are asked before anything listens: they answer meanwhile", async () => {
  const asked: string[] = []
  const refusing: Transport = async ({ path }) => {
    asked.push(path)
    throw new Error("not now")
  }
  const sources = [{ cluster: "Kubernetes", client: createClient(refusing, {}) }]
  const serving = serve("127.0.0.1", 0, { sources })
  // Promises only: nothing that a socket has to do is done by then.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  expect(asked).toEqual(expect.arrayContaining(["/api/v1/pods", "/apis/discovery.k8s.io/v1/endpointslices"]))
  await using _served = await serving
})

test("notifies when everything that was there has been read", async () => {
  await using running = await cluster({ nodes: 0 })
  const told: string[] = []
  const answers = Promise.withResolvers<void>()
  const list: Client["list"] = (of, options) => answers.promise.then(() => running.client.list(of, options))
  const sources = [{ cluster: "Kubernetes", client: { ...running.client, list } }]
  await using _served = await serve("127.0.0.1", 0, { sources, clock: running.clock, onFirstState: () => told.push("told") })
  await running.advance("5s")
  expect(told).toEqual([])
  answers.resolve()
  await running.advance("5s")
  expect(told).toEqual(["told"])
})

test("a second cluster that does not answer holds up the first no longer than configured", async () => {
  await using running = await cluster({ nodes: 0 })
  const unanswered: Transport = ({ signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("the caller waits no longer"))))
  const silent = createClient(unanswered, {})
  const sources = [running.client, silent].map((client, index) => ({ cluster: `c${index}`, client }))
  await using served = await serve("127.0.0.1", 0, { sources, clock: running.clock, syncTimeout: 30_000 })
  const status = async () => (await fetch(`${served.debugAddress}/ready`)).status
  await running.advance("29s")
  expect(await status()).toBe(503)
  await running.advance("1s")
  expect(await status()).toBe(200)
})
