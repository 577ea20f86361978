import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import {
  memoryMetrics,
  recordingLog,
  scriptedTransport,
  seededRandom,
  type Transport,
  type TransportRequest,
  type VirtualClock,
} from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { createClient } from "../client/client.ts"
import type { PlannedEvent } from "../controller/plan.ts"
import { LeaderElection } from "./leader-election.ts"
import type { LeaderElectionOptions } from "./leader-election-options.ts"
import { debugAddressAnnotation } from "./lease-record.ts"

const key = "kube-system/pilothouse"

interface Candidate {
  readonly election: LeaderElection
  /** "lead at 0", "stop at 12": in seconds since it was made. */
  readonly story: readonly string[]
  readonly said: readonly PlannedEvent[]
  readonly requests: readonly TransportRequest[]
  readonly metrics: ReturnType<typeof memoryMetrics>
  /** What run() ended with. */
  readonly ended: Promise<unknown>
  stop(): void
}

interface CandidateOptions extends Partial<LeaderElectionOptions> {
  readonly layer?: (inner: Transport) => Transport
  /** How long its work takes to end once it is told to, in milliseconds. */
  readonly drain?: number
  /** Added to what its wall clock says. */
  readonly skew?: number
}

function candidate(
  server: Cluster,
  identity: string,
  { layer = (inner) => inner, drain = 0, skew = 0, ...options }: CandidateOptions = {},
): Candidate {
  const virtual = server.clock as VirtualClock
  const clock = { ...bound(virtual), now: () => virtual.now() + skew }
  const requests: TransportRequest[] = []
  const transport: Transport = (request) => {
    requests.push(request)
    return server.transport(request)
  }
  const metrics = memoryMetrics()
  const said: PlannedEvent[] = []
  const { log } = recordingLog()
  const seams = {
    client: createClient(layer(transport)),
    clock,
    random: seededRandom(identity.length),
    log,
    metrics,
    say: (event: PlannedEvent) => void said.push(event),
  }
  const election = new LeaderElection({ lease: key, identity, ...options }, seams)
  const start = virtual.elapsed()
  const story: string[] = []
  const tell = (what: string) => story.push(`${what} at ${Math.round((virtual.elapsed() - start) / 100) / 10}`)
  const stopping = new AbortController()
  const lead = async ({ stop, lost }: { stop: AbortSignal; lost: AbortSignal }) => {
    tell("lead")
    await aborted(stop)
    tell(lost.aborted ? "lost" : "stop")
    if (!lost.aborted) await virtual.sleep(drain)
  }
  const ended = election.run(lead, stopping.signal).catch((error: unknown) => error)
  return { election, story, said, requests, metrics, ended, stop: () => stopping.abort() }
}

function bound(clock: VirtualClock) {
  return {
    elapsed: () => clock.elapsed(),
    sleep: clock.sleep.bind(clock),
    timer: clock.timer.bind(clock),
    external: clock.external.bind(clock),
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })
}

function apiServer(): Promise<Cluster> {
  return cluster({ nodes: 0, controllers: [] })
}

function leaseOf(server: Cluster): Promise<Lease> {
  return server.client.get(leases, key)
}

/** A network that can be cut. */
function cable(clock: VirtualClock) {
  const state = { cut: false, lost: 0 }
  const layer = (inner: Transport): Transport =>
    scriptedTransport(inner, () => (state.cut ? (state.lost++, { do: "lose-request" }) : { do: "pass" }), clock)
  return { state, layer }
}

describe("taking the lease", () => {
  test("makes it when there is none", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one", { debugAddress: "http://127.0.0.1:8080" })
    await server.settled()
    expect(one.story).toEqual(["lead at 0"])
    expect(await leaseOf(server)).toMatchObject({
      metadata: { annotations: { [debugAddressAnnotation]: "http://127.0.0.1:8080" } },
      spec: {
        holderIdentity: "one",
        leaseDurationSeconds: 15,
        leaseTransitions: 0,
        acquireTime: "2026-01-05T09:00:00.000000Z",
        renewTime: "2026-01-05T09:00:00.000000Z",
      },
    })
  })

  test("one of two that start together leads, the other knows who", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    const two = candidate(server, "two")
    await server.advance("5m")
    expect([one, two].map(({ story }) => story)).toEqual([["lead at 0"], []])
    expect(two.election.leader).toBe("one")
    expect(one.election.isLeading).toBe(true)
    expect(two.election.isLeading).toBe(false)
  })

  test("a candidate that does not know who leads asks every 2 to 4.4 s", async () => {
    await using server = await apiServer()
    let asked = 0
    candidate(server, "one", { layer: () => async () => (asked++, { status: 503, headers: {}, body: { type: "value", value: {} } }) })
    await server.advance("10m")
    expect(asked).toBeGreaterThan(600 / 4.4)
    expect(asked).toBeLessThan(600 / 2)
  })

  test("while another leads it looks every 1 to 2 s", async () => {
    await using server = await apiServer()
    candidate(server, "one")
    await server.settled()
    const two = candidate(server, "two")
    await server.advance("10m")
    expect(two.requests.length).toBeGreaterThan(600 / 2)
    expect(two.requests.length).toBeLessThan(600 / 1)
    expect(new Set(two.requests.map(({ verb }) => verb))).toEqual(new Set(["GET"]))
  })

  test("is renewed every 2 s with one call, which reads nothing", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    await server.settled()
    const before = one.requests.length
    await server.advance("20s")
    expect(one.requests.slice(before).map(({ verb }) => verb)).toEqual(Array.from({ length: 10 }, () => "PUT"))
    expect((await leaseOf(server)).spec).toMatchObject({
      renewTime: "2026-01-05T09:00:20.000000Z",
      acquireTime: "2026-01-05T09:00:00.000000Z",
      leaseTransitions: 0,
    })
  })

  test("somebody else's change of the lease costs one more read, and nothing else", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    await server.settled()
    await server.client.patch(leases, key, { metadata: { labels: { seen: "yes" } } })
    await server.advance("20s")
    expect(one.story).toEqual(["lead at 0"])
    expect((await leaseOf(server)).metadata.labels).toEqual({ seen: "yes" })
    expect(one.metrics.value("leader_election_slowpath_total", { name: key })).toBe(1)
  })

  test("a deleted lease is made anew by its leader", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    await server.settled()
    await server.client.delete(leases, key)
    await server.advance("4s")
    expect(one.story).toEqual(["lead at 0"])
    expect((await leaseOf(server)).spec?.holderIdentity).toBe("one")
  })

  const wrong: Record<string, Partial<LeaderElectionOptions>> = {
    "a lease shorter than the deadline": { leaseDuration: 10_000 },
    "a deadline shorter than 1.2 retries": { renewDeadline: 2400 },
    "no retry period": { retryPeriod: 0 },
  }
  test.each(Object.entries(wrong))("%s is refused", async (_, options) => {
    await using server = await apiServer()
    expect(() => candidate(server, "one", options)).toThrow("expected lease duration > renew deadline > 1.2 × retry period")
  })
})

describe("following a leader that vanished", () => {
  async function vanished(skew = 0) {
    const server = await apiServer()
    const network = cable(server.clock as VirtualClock)
    const one = candidate(server, "one", { layer: network.layer, debugAddress: "http://one" })
    await server.settled()
    const two = candidate(server, "two", { skew })
    await server.advance("3s")
    network.state.cut = true
    return { server, one, two }
  }

  test("happens once the lease has not changed for 15 s, by the follower's own clock", async () => {
    const { server, one, two } = await vanished()
    await using _server = server
    await server.advance("60s")
    const [, when] = /^lead at ([\d.]+)$/.exec(two.story[0] ?? "") ?? []
    // Renewed last at 2 s; seen up to 2 s later, and looked at again when it has run out.
    expect(Number(when)).toBeGreaterThanOrEqual(2 + 15)
    expect(Number(when)).toBeLessThanOrEqual(2 + 2 + 15)
    // One gives up by itself 10 s after its last renewal, long before.
    expect(one.story).toEqual(["lead at 0", "lost at 12"])
    const lease = await leaseOf(server)
    expect(lease.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 })
    expect(lease.metadata.annotations ?? {}).not.toHaveProperty([debugAddressAnnotation])
  })

  test("takes at most the duration of the lease and 2 s from its end, whenever that is", async () => {
    const late: number[] = []
    for (let killed = 1000; killed < 5000; killed += 130) {
      await using server = await apiServer()
      const network = cable(server.clock as VirtualClock)
      candidate(server, "one", { layer: network.layer })
      await server.settled()
      // As many letters as there are lots: its name is its seed.
      const two = candidate(server, "x".repeat(killed / 10))
      await server.advance(killed)
      network.state.cut = true
      await server.advance("60s")
      const [, when] = /^lead at ([\d.]+)$/.exec(two.story[0] ?? "") ?? []
      late.push(Number(when) * 1000 - killed)
    }
    expect(Math.max(...late)).toBeLessThanOrEqual(17_000)
    expect(late).toHaveLength(31)
  })

  test.each([
    ["an hour ahead", 3_600_000],
    ["an hour behind", -3_600_000],
  ])("a wall clock that is %s changes nothing", async (_, skew) => {
    const { server, two } = await vanished(skew)
    await using _server = server
    await server.advance("12s")
    expect(two.story).toEqual([])
    await server.advance("48s")
    expect(two.story).toHaveLength(1)
  })
})

describe("losing the lease", () => {
  test("the leader that cannot renew for 10 s stops, and says so", async () => {
    await using server = await apiServer()
    const network = cable(server.clock as VirtualClock)
    const one = candidate(server, "one", { layer: network.layer })
    await server.advance("3s")
    network.state.cut = true
    await server.advance("8s")
    expect(one.election.isLeading).toBe(true)
    await server.advance("1s")
    expect(one.election.isLeading).toBe(false)
    expect(one.story).toEqual(["lead at 0", "lost at 12"])
    expect(await one.ended).toMatchObject({
      code: "LEADERSHIP_LOST",
      message: expect.stringContaining("could not be renewed within 10000 ms"),
    })
    // Two calls each time: the renewal, and the look at what is wrong.
    expect(network.state.lost).toBeGreaterThanOrEqual(8)
  })

  test("a call that hangs leaves time for another, and does not carry the leader over the deadline", async () => {
    await using server = await apiServer()
    let hanging = false
    const one = candidate(server, "one", { layer: (inner) => (request) => (hanging ? new Promise(() => {}) : inner(request)) })
    await server.advance("3s")
    hanging = true
    await server.advance("20s")
    expect(one.story).toEqual(["lead at 0", "lost at 12"])
    expect(await one.ended).toMatchObject({ code: "LEADERSHIP_LOST" })
  })

  test("a network that comes back in time changes nothing", async () => {
    await using server = await apiServer()
    const network = cable(server.clock as VirtualClock)
    const one = candidate(server, "one", { layer: network.layer })
    await server.advance("3s")
    network.state.cut = true
    await server.advance("6s")
    network.state.cut = false
    await server.advance("60s")
    expect(one.story).toEqual(["lead at 0"])
  })

  test("the leader that finds another in the lease stops at once", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    await server.advance("3s")
    await server.client.patch(leases, key, { spec: { holderIdentity: "intruder" } })
    await server.advance("1s")
    expect(one.story).toEqual(["lead at 0", "lost at 4"])
    expect(await one.ended).toMatchObject({ message: expect.stringContaining("held by intruder") })
    expect((await leaseOf(server)).spec?.holderIdentity).toBe("intruder")
  })

  test("does not lead any more at the moment the deadline passes, even when nothing else has run", async () => {
    await using server = await apiServer()
    const virtual = server.clock as VirtualClock
    const one = candidate(server, "one")
    await server.settled()
    let jump = 0
    const elapsed = virtual.elapsed.bind(virtual)
    const paused = new LeaderElection(
      { lease: key, identity: "one" },
      {
        client: createClient(server.transport),
        clock: { ...bound(virtual), now: () => virtual.now(), elapsed: () => elapsed() + jump },
        random: seededRandom(1),
        log: recordingLog().log,
        metrics: memoryMetrics(),
        say: () => {},
      },
    )
    const stopping = new AbortController()
    void paused.run(({ stop }) => aborted(stop), stopping.signal).catch(() => {})
    await server.settled()
    expect(paused.isLeading).toBe(true)
    // The machine stood still for 11 s, and not a single timer has fired since.
    jump = 11_000
    expect(paused.isLeading).toBe(false)
    expect(paused.isHealthy).toBe(true)
    // Overdue by 20 s and still not given up: something is stuck.
    jump = 35_001
    expect(paused.isHealthy).toBe(false)
    stopping.abort()
    one.stop()
    await server.settled()
  })
})

describe("stopping", () => {
  test("gives the lease back, and the next one takes it with its next look", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one", { debugAddress: "http://one" })
    await server.settled()
    const two = candidate(server, "two")
    await server.advance("10s")
    one.stop()
    await server.settled()
    const lease = await leaseOf(server)
    expect(lease.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 })
    expect(lease.metadata.annotations ?? {}).not.toHaveProperty([debugAddressAnnotation])
    await server.advance("4400ms")
    expect(two.story).toHaveLength(1)
    expect((await leaseOf(server)).spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1, leaseDurationSeconds: 15 })
    expect(await one.ended).toBeUndefined()
  })

  test("renews the lease while its work is being ended, however long that takes", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one", { drain: 60_000 })
    await server.settled()
    const two = candidate(server, "two")
    await server.advance("10s")
    one.stop()
    await server.advance("59s")
    expect(one.election.isLeading).toBe(true)
    expect(two.story).toEqual([])
    await server.advance("6s")
    expect(two.story).toHaveLength(1)
  })

  test("somebody else's change just before does not keep the lease", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    await server.settled()
    await server.client.patch(leases, key, { metadata: { labels: { seen: "yes" } } })
    one.stop()
    await server.settled()
    expect((await leaseOf(server)).spec?.holderIdentity).toBe("")
  })

  test("does not wait for a server that never answers", async () => {
    await using server = await apiServer()
    let hanging = false
    const one = candidate(server, "one", { layer: (inner) => (request) => (hanging ? new Promise(() => {}) : inner(request)) })
    await server.settled()
    hanging = true
    one.stop()
    await server.advance("2s")
    expect(await one.ended).toBeUndefined()
  })

  test("of a candidate that waits ends at once and takes nothing", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    await server.settled()
    const two = candidate(server, "two")
    await server.settled()
    two.stop()
    await server.settled()
    expect(await two.ended).toBeUndefined()
    one.stop()
    await server.advance("1m")
    expect((await leaseOf(server)).spec?.holderIdentity).toBe("")
  })
})

test("people who look at the lease are told, and the metric says who leads", async () => {
  await using server = await apiServer()
  const one = candidate(server, "one")
  await server.settled()
  expect(one.metrics.value("leader_election_master_status", { name: key })).toBe(1)
  one.stop()
  await server.settled()
  expect(one.metrics.value("leader_election_master_status", { name: key })).toBe(0)
  const about = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace: "kube-system", name: "pilothouse" } }
  expect(one.said).toEqual([
    { about, type: "Normal", reason: "LeaderElection", message: "one became leader" },
    { about, type: "Normal", reason: "LeaderElection", message: "one stopped leading" },
  ])
})
