import { leases } from "@pilothouse/api/coordination/v1"
import { abortable, memoryMetrics, recordingLog, seededRandom, type VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { createClient } from "../client/client.ts"
import { LeaderElection } from "./leader-election.ts"
import {
  aborted,
  apiServer,
  bound,
  type Candidate,
  type CandidateOptions,
  cable,
  candidate,
  currentLease,
  leaseKey,
} from "./testing/candidate.ts"

/** Why renewals failed, as was logged. */
function renewals({ lines }: Candidate): readonly unknown[] {
  return lines.filter(({ message }) => message === "could not renew the lease").map(({ fields }) => fields.error)
}

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
      message: expect.stringMatching(
        /could not be renewed within 10000 ms; every controller has stopped, .*; start it again, as a Deployment does/,
      ),
    })
    // Two requests each time: the renewal, and the read after it.
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

  test("a renewal that hung was slow, or everything was being stopped: says that it was slow, and nothing where it was stopped", async () => {
    await using server = await apiServer()
    let hanging = false
    const layer: CandidateOptions["layer"] = (inner) => (request) =>
      hanging ? abortable(new Promise<never>(() => {}), request.signal) : inner(request)
    const one = candidate(server, "one", { layer })
    await server.advance("3s")
    hanging = true
    await server.advance("2s")
    one.stop()
    await server.advance("8s")
    expect(renewals(one)).toEqual([])
    hanging = false
    const two = candidate(server, "two", { layer })
    await server.advance("30s")
    expect(two.election.isLeading).toBe(true)
    hanging = true
    await server.advance("8s")
    expect(renewals(two)).toEqual(["the server did not answer within 5000 ms"])
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
    await server.client.patch(leases, leaseKey, { spec: { holderIdentity: "intruder" } })
    await server.advance("1s")
    expect(one.story).toEqual(["lead at 0", "lost at 4"])
    expect(await one.ended).toMatchObject({ message: expect.stringContaining("held by intruder") })
    expect((await currentLease(server)).spec?.holderIdentity).toBe("intruder")
  })

  test("does not lead any more at the moment the deadline passes, even when nothing else has run", async () => {
    await using server = await apiServer()
    const virtual = server.clock as VirtualClock
    const one = candidate(server, "one")
    await server.settled()
    let jump = 0
    const elapsed = virtual.elapsed.bind(virtual)
    const paused = new LeaderElection(
      { lease: leaseKey, identity: "one" },
      {
        client: createClient(server.transport),
        clock: { ...bound(virtual), now: () => virtual.now(), elapsed: () => elapsed() + jump },
        random: seededRandom(1),
        log: recordingLog().log,
        metrics: memoryMetrics(),
        recordEvent: () => {},
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
