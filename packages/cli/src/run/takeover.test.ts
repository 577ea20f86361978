import { deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { leases } from "@pilothouse/api/coordination/v1"
import { pods } from "@pilothouse/api/core/v1"
import { seededRandom, silentLog, type Transport, virtualFiles } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test, vi } from "vitest"
import { settingsOf } from "./settings.ts"
import { runControllers } from "./start.ts"

const web = (image: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 20,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } },
  },
})

/** One process of `pilothouse run` with its default timings, in virtual time; killed, it answers no more. */
function replica({ transport, clock }: Cluster, number: number, flags: Readonly<Record<string, string>> = {}) {
  const state = { killed: false, creates: 0 }
  const stop = new AbortController()
  const own: Transport = (request) => {
    if (state.killed) return new Promise(() => {})
    if (request.verb === "POST" && request.path.endsWith("/pods")) state.creates++
    return transport(request)
  }
  const connection = {
    transport: own,
    server: "https://127.0.0.1:6443",
    authorities: () => undefined,
    prepare: () => expect.fail("no SIGHUP is expected"),
    [Symbol.asyncDispose]: async () => {},
  }
  const transports = { for: () => own, prepare: () => expect.fail("no SIGHUP is expected"), [Symbol.asyncDispose]: async () => {} }
  const seams = { clock, random: seededRandom(number), files: virtualFiles(clock), log: silentLog, host: `host-${number}` }
  const running = runControllers(settingsOf({ "secure-port": "0", ...flags }, {}), { connection, transports }, seams, stop.signal)
  // One that was killed loses the lease, which is its end.
  running.catch(() => {})
  return { state, stop: () => stop.abort() }
}

test("the leader of two is killed in the middle of a rollout: the other leads within lease duration + 2 s, and makes nothing twice", async () => {
  await using running = await cluster({ controllers: [], nodes: 3 })
  const [one, two] = [replica(running, 1), replica(running, 2)]
  await running.apply(web("example/web:1"))
  await running.advance("30s")
  expect((await running.client.get(deployments, "default/web")).status?.availableReplicas).toBe(20)
  const first = await holder(running)
  await running.client.patch(deployments, "default/web", web("example/web:2"))
  await running.until(async () => ((await running.client.get(deployments, "default/web")).status?.updatedReplicas ?? 0) > 0)
  const [dead, alive] = first.startsWith("host-1") ? [one, two] : [two, one]
  dead.state.killed = true
  const killed = running.clock.elapsed()
  await running.until(async () => (await holder(running)) !== first)
  expect(running.clock.elapsed() - killed).toBeLessThanOrEqual(17_000)
  await running.advance("2m")
  expect((await running.client.get(deployments, "default/web")).status).toMatchObject({
    replicas: 20,
    updatedReplicas: 20,
    availableReplicas: 20,
  })
  expect(await running.list(replicaSets, { namespace: "default" })).toHaveLength(2)
  expect(await running.list(pods, { namespace: "default" })).toHaveLength(20)
  expect(dead.state.creates + alive.state.creates).toBe(40)
  alive.stop()
  await running.advance("1m")
})

test("--kube-api-qps limits the requests of each controller, --kube-api-burst those at once", async () => {
  await using running = await cluster({ controllers: [], nodes: 3 })
  const { state, stop } = replica(running, 1, { "kube-api-qps": "2", "kube-api-burst": "3" })
  await running.advance("5s")
  await running.apply(web("example/web:1"))
  await running.advance("4s")
  expect(state.creates).toBeGreaterThan(3)
  expect(state.creates).toBeLessThan(13)
  await running.advance("1m")
  expect(state.creates).toBe(20)
  stop()
  await running.advance("1m")
})

test("the watchdog measured the event loop, which is a real one, by virtual time", async () => {
  await using running = await cluster({ controllers: [] })
  const timers = vi.spyOn(running.clock, "timer")
  const { stop } = replica(running, 1)
  await running.advance("30s")
  stop()
  await running.advance("1m")
  const names = timers.mock.calls.map(([, name]) => name)
  expect(names.length).toBeGreaterThan(0)
  expect(names).not.toContain("the watchdog's next check")
})

async function holder({ client }: Cluster): Promise<string> {
  return (await client.get(leases, "kube-system/kube-controller-manager")).spec?.holderIdentity ?? ""
}
