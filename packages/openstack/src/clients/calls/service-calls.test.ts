import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { EmbeddedCall, EmbeddedFault } from "../../embedded/embedded-open-stack.ts"
import { testCloud } from "../../embedded/testing/cloud.ts"
import { openStack } from "../cloud.ts"

/** Plays faults on the calls to a path, one after the other; the rest of the calls is well. */
function played(path: string, faults: readonly EmbeddedFault[]) {
  const left = [...faults]
  return (call: EmbeddedCall) => (call.path.startsWith(path) ? left.shift() : undefined)
}

function always(fault: EmbeddedFault): readonly EmbeddedFault[] {
  return Array.from({ length: 9 }, () => fault)
}

function clients(options: Parameters<typeof testCloud>[0] = {}) {
  const made = testCloud(options)
  const { access, connect, clock } = made
  const cloud = openStack({ access, connect, clock })
  const calls = (path: string) => made.embedded.calls.filter((call) => call.path.startsWith(path)).length
  return { ...made, cloud, calls }
}

describe("a call that fails", () => {
  test.each([
    ["503", { status: 503 }],
    ["a broken connection", { loseRequest: true }],
    ["a lost answer", { loseAnswer: true }],
  ])("%s: a read is asked again", async (_, fault) => {
    const { cloud, run, calls } = clients({ fault: played("/v2.0/networks", [fault, fault]) })
    expect(await run(() => cloud.neutron.networks.list())).toHaveLength(4)
    expect(calls("/v2.0/networks")).toBe(3)
  })

  test("a create is never asked again: its work may have been done", async () => {
    const { cloud, run, calls, place, embedded } = clients({ fault: played("/v2.0/ports", [{ loseAnswer: true }]) })
    const before = embedded.neutron.ports.size
    await expect(run(() => cloud.neutron.ports.create({ network_id: place.podNetwork }))).rejects.toMatchObject({ code: "CONNECTION_LOST" })
    expect([calls("/v2.0/ports"), embedded.neutron.ports.size - before]).toEqual([1, 1])
  })

  test("a change guarded by a revision is not asked again, one without is", async () => {
    const { cloud, run, calls, place, embedded } = clients()
    const port = await run(() => cloud.neutron.ports.create({ network_id: place.podNetwork }))
    embedded.fault = played(`/v2.0/ports/${port.id}`, [{ loseAnswer: true }])
    const guarded = run(() => cloud.neutron.ports.update(port.id, { name: "a" }, { ifRevision: port.revision_number }))
    await expect(guarded).rejects.toMatchObject({ code: "CONNECTION_LOST" })
    embedded.fault = played(`/v2.0/ports/${port.id}`, [{ loseAnswer: true }])
    expect(await run(() => cloud.neutron.ports.update(port.id, { name: "b" }))).toMatchObject({ name: "b" })
    expect(calls(`/v2.0/ports/${port.id}`)).toBe(3)
  })

  test("a delete whose answer was lost is asked again, and finds nothing", async () => {
    const { cloud, run, place, embedded } = clients()
    const port = await run(() => cloud.neutron.ports.create({ network_id: place.podNetwork }))
    embedded.fault = played(`/v2.0/ports/${port.id}`, [{ loseAnswer: true }])
    expect(await run(() => cloud.neutron.ports.delete(port.id))).toBe(false)
  })

  test("it gives up after three more tries, with growing waits between", async () => {
    const { cloud, run, calls, clock } = clients({ fault: played("/v2.0/networks", always({ status: 503 })) })
    await run(() => cloud.keystone.token())
    const began = clock.elapsed()
    await expect(run(() => cloud.neutron.networks.list())).rejects.toMatchObject({ kind: "unavailable", retryable: true })
    expect([calls("/v2.0/networks"), clock.elapsed() - began]).toEqual([4, 250 + 500 + 1000])
  })

  test("a refusal is not argued with", async () => {
    const { cloud, run, calls } = clients({ fault: played("/v2.0/networks", [{ status: 403 }]) })
    await expect(run(() => cloud.neutron.networks.list())).rejects.toMatchObject({ kind: "forbidden", retryable: false })
    expect(calls("/v2.0/networks")).toBe(1)
  })

  test("ten ports in one call may take longer than one: Neutron creates them one after the other", async () => {
    const { cloud, run, clock, place } = clients({ fault: played("/v2.0/ports", always({ hang: true })) })
    await run(() => cloud.keystone.token())
    const waited = async (count: number) => {
      const began = clock.elapsed()
      const bodies = Array.from({ length: count }, () => ({ network_id: place.podNetwork }))
      await expect(run(() => cloud.neutron.ports.createMany(bodies))).rejects.toMatchObject({ code: "TIMEOUT" })
      return clock.elapsed() - began
    }
    expect([await waited(1), await waited(10)]).toEqual([60_000, 168_000])
  })

  test("an answer that does not come ends with the time limit, and with the caller's signal", async () => {
    const { cloud, run, clock, place } = clients({ fault: played("/v2.0/ports", always({ hang: true })) })
    const began = clock.elapsed()
    const late = run(() => cloud.neutron.ports.create({ network_id: place.podNetwork }, { timeout: "10s" }))
    await expect(late).rejects.toMatchObject({ code: "TIMEOUT", retryable: true })
    expect(clock.elapsed() - began).toBe(10_000)
    const stop = new AbortController()
    clock.timer(500, "stop", () => stop.abort())
    await expect(run(() => cloud.neutron.ports.list({}, { signal: stop.signal }))).rejects.toMatchObject({ code: "ABORTED" })
  })
})

describe("many calls at once", () => {
  test("no more than twenty of one service are under way; the time that the others wait here is not the service's", async () => {
    const { cloud, run, clock, embedded } = clients()
    await run(() => cloud.keystone.token())
    const begun: number[] = []
    embedded.fault = ({ service }) => {
      if (service === "neutron") begun.push(clock.elapsed())
      return { takes: 30_000 }
    }
    const from = clock.elapsed()
    const answers = await run(() => Promise.all(Array.from({ length: 100 }, () => cloud.neutron.subnets.list())))
    expect(answers).toHaveLength(100)
    const rounds = Map.groupBy(begun, (at) => at - from)
    expect([...rounds].map(([at, some]) => [at, some.length])).toEqual([0, 30_000, 60_000, 90_000, 120_000].map((at) => [at, 20]))
  })

  test.each([
    ["what it says itself", { timeout: "5s" }, /GET \/v2.0\/networks, not sent yet behind 120 others, within 5s/, 5_000],
    ["four minutes", {}, /GET \/v2.0\/networks, not sent yet behind 120 others, within 4m/, 240_000],
  ] as const)("a call waits for its turn no longer than %s, then fails; how many wait is a metric", async (_, options, says, time) => {
    const { access, connect, clock, run, embedded } = testCloud()
    const metrics = memoryMetrics()
    const cloud = openStack({ access, connect, clock, metrics, retries: 0 })
    await run(() => cloud.keystone.token())
    embedded.fault = ({ path }) => (path === "/v2.0/subnets" ? { takes: 59_000 } : undefined)
    const others = Array.from({ length: 120 }, () => cloud.neutron.subnets.list({}, { timeout: "10m" }))
    await clock.advance(0)
    const from = clock.elapsed()
    const one = run(() => cloud.neutron.networks.list({}, options))
    await expect(one).rejects.toMatchObject({ code: "TIMEOUT", message: expect.stringMatching(says) })
    expect(clock.elapsed() - from).toBe(time)
    const left = 100 - 20 * Math.floor(time / 59_000)
    expect(metrics.text()).toContain(`kuryr_calls_waiting_count{service="network"} ${left}`)
    await run(() => Promise.all(others))
    expect(metrics.text()).toContain('kuryr_calls_waiting_count{service="network"} 0')
  })

  test("one that fails makes room, who stops waiting is not sent, and another service does not wait", async () => {
    const { cloud, run, clock, calls, embedded } = clients()
    await run(() => cloud.keystone.token())
    embedded.fault = ({ path }) => (path === "/v2.0/networks" ? { takes: 10_000, status: 403 } : undefined)
    const refused = Array.from({ length: 20 }, () => cloud.neutron.networks.list().catch(() => "refused"))
    const stop = new AbortController()
    const stopped = cloud.neutron.subnets.list({}, { signal: stop.signal }).catch(({ code }) => code)
    const waiting = cloud.neutron.subnets.list()
    clock.timer(1_000, "stop", () => stop.abort())
    expect(await run(() => cloud.octavia.loadBalancers.list())).toEqual([])
    expect(clock.elapsed()).toBeLessThan(10_000)
    expect(await run(() => Promise.all([...refused.slice(0, 1), stopped, waiting.then((found) => found.length > 0)]))).toEqual([
      "refused",
      "ABORTED",
      true,
    ])
    expect(calls("/v2.0/subnets")).toBe(1)
  })
})

describe("tokens", () => {
  test("renews a revoked token once, without a failed call", async () => {
    const { cloud, run, embedded, calls } = clients()
    await run(() => cloud.neutron.networks.list())
    embedded.keystone.revokeTokens()
    expect(await run(() => Promise.all([cloud.neutron.networks.list(), cloud.octavia.loadBalancers.list()]))).toHaveLength(2)
    expect(calls("/v3/auth/tokens")).toBe(2)
  })

  test("one that is refused again is an error", async () => {
    const { cloud, run } = clients({ fault: played("/v2.0/networks", [{ status: 401 }, { status: 401 }]) })
    await expect(run(() => cloud.neutron.networks.list())).rejects.toMatchObject({ kind: "unauthorized", retryable: false })
  })

  test("one is renewed a minute before its end", async () => {
    const { cloud, run, clock, calls } = clients({ knobs: { tokenLife: 3_600_000 } })
    await run(() => cloud.neutron.networks.list())
    await clock.advance("58m")
    await run(() => cloud.neutron.networks.list())
    expect(calls("/v3/auth/tokens")).toBe(1)
    await clock.advance("90s")
    await run(() => cloud.neutron.networks.list())
    expect(calls("/v3/auth/tokens")).toBe(2)
  })

  test("an application credential gives a token of its project", async () => {
    const { run, access, connect, clock, embedded, place } = clients()
    const { id, secret } = embedded.seed.user.applicationCredential!
    const cloud = openStack({ access: { ...access, credentials: { type: "application-credential", id, secret } }, connect, clock })
    expect(await run(() => cloud.keystone.projectId())).toBe(place.project)
  })

  test("Keystone away for a moment is asked again", async () => {
    const { cloud, run } = clients({ fault: played("/v3/auth", [{ status: 503 }, { loseRequest: true }]) })
    expect(await run(() => cloud.neutron.networks.list())).toHaveLength(4)
  })
})

test("a gateway that answers with text is an error of the service, with its words", async () => {
  const clock = new VirtualClock()
  const { access, embedded } = testCloud()
  const busy = {
    type: "bytes" as const,
    bytes: new TextEncoder().encode("The Keystone service is temporarily unavailable."),
    contentType: "text/plain",
  }
  const cloud = openStack({
    access,
    clock,
    retries: 0,
    connect: (url) => (url.includes("octavia") ? async () => ({ status: 503, headers: {}, body: busy }) : embedded.connect(url)),
  })
  await expect(clock.run(cloud.octavia.loadBalancers.list())).rejects.toMatchObject({
    kind: "unavailable",
    refusal: { service: "octavia", text: "The Keystone service is temporarily unavailable." },
  })
})

describe("load balancers that are waited for", () => {
  test("many callers share the reads, and resume within a second of the end", async () => {
    const { cloud, run, calls, place, clock } = clients({ knobs: { loadBalancerDelay: 60_000 } })
    const { id } = await run(() => cloud.octavia.loadBalancers.create({ vip_subnet_id: place.serviceSubnet }))
    const began = clock.elapsed()
    const seen = await run(() => Promise.all(Array.from({ length: 20 }, () => cloud.polls.untilActive(id))))
    expect(new Set(seen.map((one) => one.provisioning_status))).toEqual(new Set(["ACTIVE"]))
    expect(clock.elapsed() - began).toBeLessThanOrEqual(61_000)
    expect(calls(`/v2/lbaas/loadbalancers/${id}`)).toBeLessThan(140)
  })

  test("distinguishes one that fails, one that is stuck, and one that is gone", async () => {
    const { cloud, run, place, embedded } = clients()
    const { loadBalancers } = cloud.octavia
    const stuck = await run(() => loadBalancers.create({ vip_subnet_id: place.serviceSubnet, provider: "stuck" }))
    await expect(run(() => cloud.polls.untilActive(stuck.id, { timeout: "2m" }))).rejects.toMatchObject({ code: "TIMEOUT" })
    embedded.knobs.loadBalancerFails = true
    const failed = await run(() => loadBalancers.create({ vip_subnet_id: place.serviceSubnet }))
    await expect(run(() => cloud.polls.untilActive(failed.id))).rejects.toMatchObject({ name: "LoadBalancerFailed" })
    await expect(run(() => cloud.polls.untilActive("missing"))).rejects.toThrow(/is gone/)
    await run(() => cloud.polls.untilGone("missing"))
  })
})

test.each(["", "/v2.0", "/v2.0/"])("a catalog that names Neutron with%s at its end leads to the same place", async (end) => {
  const { access, connect, clock, run, embedded } = testCloud()
  const plain = openStack({ access, connect, clock })
  const url = await run(() => plain.keystone.endpoint("network"))
  const { neutron } = openStack({ access: { ...access, endpoints: { network: `${url}${end}` } }, connect, clock })
  expect(await run(() => neutron.networks.list())).toHaveLength(4)
  expect(embedded.calls.at(-1)?.path).toBe("/v2.0/networks")
})
