import { leases } from "@pilothouse/api/coordination/v1"
import { describe, expect, test } from "vitest"
import type { LeaderElectionOptions } from "./leader-election-options.ts"
import { debugAddressAnnotation } from "./lease-holder.ts"
import { apiServer, candidate, currentLease, leaseKey } from "./testing/candidate.ts"

describe("taking the lease", () => {
  test("makes it when there is none", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one", { debugAddress: "http://127.0.0.1:8080" })
    await server.settled()
    expect(one.story).toEqual(["lead at 0"])
    expect(await currentLease(server)).toMatchObject({
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
    expect((await currentLease(server)).spec).toMatchObject({
      renewTime: "2026-01-05T09:00:20.000000Z",
      acquireTime: "2026-01-05T09:00:00.000000Z",
      leaseTransitions: 0,
    })
  })

  test("another client's change of the lease costs one more read", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    await server.settled()
    await server.client.patch(leases, leaseKey, { metadata: { labels: { seen: "yes" } } })
    await server.advance("20s")
    expect(one.story).toEqual(["lead at 0"])
    expect((await currentLease(server)).metadata.labels).toEqual({ seen: "yes" })
    expect(one.metrics.value("leader_election_slowpath_total", { name: leaseKey })).toBe(1)
  })

  test("a deleted lease is created again by its leader", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    await server.settled()
    await server.client.delete(leases, leaseKey)
    await server.advance("4s")
    expect(one.story).toEqual(["lead at 0"])
    expect((await currentLease(server)).spec?.holderIdentity).toBe("one")
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

test("records events about the lease, and the metric shows the leader", async () => {
  await using server = await apiServer()
  const one = candidate(server, "one")
  await server.settled()
  expect(one.metrics.value("leader_election_master_status", { name: leaseKey })).toBe(1)
  one.stop()
  await server.settled()
  expect(one.metrics.value("leader_election_master_status", { name: leaseKey })).toBe(0)
  const about = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace: "kube-system", name: "pilothouse" } }
  expect(one.recorded).toEqual([
    { about, type: "Normal", reason: "LeaderElection", message: "one became leader" },
    { about, type: "Normal", reason: "LeaderElection", message: "one stopped leading" },
  ])
})
