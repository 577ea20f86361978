import { leases } from "@pilothouse/api/coordination/v1"
import { type VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { debugAddressAnnotation, debugCertificateAnnotation } from "./lease-holder.ts"
import { apiServer, cable, candidate, currentLease, leaseKey } from "./testing/candidate.ts"

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
    const lease = await currentLease(server)
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

describe("stopping", () => {
  test("the certificate that is published beside the address follows its renewal, and goes with the leader", async () => {
    await using server = await apiServer()
    let certificate = "aa"
    const one = candidate(server, "one", { debugAddress: "https://one", debugCertificate: () => certificate })
    await server.settled()
    const told = async () => (await currentLease(server)).metadata.annotations ?? {}
    expect(await told()).toEqual({ [debugAddressAnnotation]: "https://one", [debugCertificateAnnotation]: "aa" })
    certificate = "bb"
    await server.advance("2s")
    expect(await told()).toEqual({ [debugAddressAnnotation]: "https://one", [debugCertificateAnnotation]: "bb" })
    one.stop()
    await server.settled()
    expect(await told()).toEqual({})
  })

  test("releases the lease, and the next one acquires it with its next try", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one", { debugAddress: "http://one" })
    await server.settled()
    const two = candidate(server, "two")
    await server.advance("10s")
    one.stop()
    await server.settled()
    const lease = await currentLease(server)
    expect(lease.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 })
    expect(lease.metadata.annotations ?? {}).not.toHaveProperty([debugAddressAnnotation])
    await server.advance("4400ms")
    expect(two.story).toHaveLength(1)
    expect((await currentLease(server)).spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1, leaseDurationSeconds: 15 })
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

  test("another client's change just before does not prevent the release", async () => {
    await using server = await apiServer()
    const one = candidate(server, "one")
    await server.settled()
    await server.client.patch(leases, leaseKey, { metadata: { labels: { seen: "yes" } } })
    one.stop()
    await server.settled()
    expect((await currentLease(server)).spec?.holderIdentity).toBe("")
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
    expect((await currentLease(server)).spec?.holderIdentity).toBe("")
  })
})
