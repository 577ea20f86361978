import { pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import type { EmbeddedCall } from "../embedded/embedded-open-stack.ts"
import { podPorts, podVif, type TestCluster, testCluster, testPod, testService } from "./testing/cluster.ts"
import { eventMessages, give, members, objectsWithEvent } from "./testing/faults.ts"

interface Work {
  readonly call: EmbeddedCall
  readonly from: number
  readonly to: number
}

/** Neutron takes so long for such calls, and continues when the client has gone. Its work, with times. */
function slow(run: TestCluster, takes: (call: EmbeddedCall) => number): readonly Work[] {
  const works: Work[] = []
  run.cloud.fault = (call) => {
    const time = call.service === "neutron" ? takes(call) : 0
    if (time === 0) return undefined
    const from = run.cluster.clock.elapsed()
    works.push({ call, from, to: from + time })
    return { takes: time }
  }
  return works
}

const isCreate = ({ verb, path }: EmbeddedCall) => verb === "POST" && path === "/v2.0/ports"
const namesIn = ({ call }: Work) => (call.body as { ports: { name: string }[] }).ports.map(({ name }) => name)
const creates = (works: readonly Work[]) => works.filter(({ call }) => isCreate(call))
const makes = (works: readonly Work[], name: string) => creates(works).filter((work) => namesIn(work).includes(name))

/** The most that were under way at one time. */
function atOnce(works: readonly Work[]): number {
  return Math.max(0, ...works.map(({ from }) => works.filter((one) => one.from <= from && from < one.to).length))
}

const hosts = Array.from({ length: 8 }, (_, at) => `node${at}`)
const burst = Array.from({ length: 50 }, (_, at) => `web-${at}`)

async function start(run: TestCluster, names: readonly string[]): Promise<void> {
  for (const [at, name] of names.entries()) await run.cluster.apply(testPod(name, { nodeName: hosts[at % hosts.length] }))
}

async function actives(run: TestCluster, names: readonly string[]): Promise<number> {
  const vifs = await Promise.all(names.map((name) => podVif(run, name)))
  return vifs.filter((vif) => vif?.active === true).length
}

describe("a Neutron that takes 30 s for every call", () => {
  const pool = {
    kubernetes: { vif_pool_driver: "neutron" },
    vif_pool: { ports_pool_min: 20, ports_pool_batch: 20, ports_pool_update_frequency: 5 },
  }

  test.each([
    ["noop", {}],
    ["neutron", pool],
  ])("50 pods with the pool %s: one create for each, few calls at once, and no warnings", async (_, sections) => {
    await using run = await testCluster({ sections })
    const works = slow(run, () => 30_000)
    await start(run, burst)
    await run.cluster.advance("15m")
    expect(await actives(run, burst)).toBe(50)
    for (const name of burst) expect(makes(works, name).length, name).toBeLessThanOrEqual(1)
    expect(atOnce(creates(works))).toBeLessThanOrEqual(4)
    expect(atOnce(works)).toBeLessThanOrEqual(20)
    for (const host of hosts) {
      const fills = makes(works, "available-port").filter(({ call }) => JSON.stringify(call.body).includes(`"${host}"`))
      expect(atOnce(fills)).toBeLessThanOrEqual(1)
    }
    expect(await objectsWithEvent(run, "KuryrPortFailed")).toEqual(new Set())
    const owned = podPorts(run).filter(({ device_id }) => device_id !== "")
    expect(new Set(owned.map(({ device_id }) => device_id)).size).toBe(owned.length)
  })
})

test("more pods than Neutron makes in a quarter of an hour: a pod that waits behind the others gets an event, and is served as soon as there is a port", async () => {
  await using run = await testCluster()
  const works = slow(run, (call) => (isCreate(call) ? 50_000 : 0))
  const many = Array.from({ length: 400 }, (_, at) => `web-${at}`)
  await start(run, many)
  await run.cluster.advance("250s")
  const waiting = await objectsWithEvent(run, "KuryrPortFailed")
  expect(waiting.size).toBeGreaterThan(250)
  expect(await eventMessages(run, "KuryrPortFailed")).toContainEqual(expect.stringMatching(/within 4m.*none/))
  // Two calls of ten at once. By now most were given up until the next resync, at ten minutes: who has a port by then must not wait for that.
  await run.cluster.advance("310s")
  const ready = await actives(run, many)
  expect(ready).toBeGreaterThan(200)
  expect(podPorts(run)).toHaveLength(ready)
  await run.cluster.advance("510s")
  expect(await actives(run, many)).toBe(400)
  expect(many.filter((name) => makes(works, name).length !== 1)).toEqual([])
  expect(podPorts(run)).toHaveLength(400)
})

describe("a Neutron slower than the timeouts", () => {
  test("a create of 95 s: the pod gets an event after 60 s, no other is requested, and the late answer is used at once", async () => {
    await using run = await testCluster()
    const works = slow(run, (call) => (isCreate(call) ? 95_000 : 0))
    await start(run, ["web-1"])
    await run.cluster.advance("70s")
    expect([await objectsWithEvent(run, "KuryrPortFailed"), podPorts(run)]).toEqual([new Set(["web-1"]), []])
    await run.cluster.advance("26s")
    expect(await podVif(run, "web-1")).toMatchObject({ id: podPorts(run)[0]?.id })
    await run.cluster.advance("5m")
    expect([makes(works, "web-1").length, podPorts(run).length]).toEqual([1, 1])
  })

  test("50 pods in creates of 200 s: no more than four unanswered, none for the same pod, and each has its port", async () => {
    await using run = await testCluster()
    const works = slow(run, (call) => (isCreate(call) ? 200_000 : 0))
    await start(run, burst)
    await run.cluster.advance("20m")
    expect(await actives(run, burst)).toBe(50)
    expect(burst.filter((name) => makes(works, name).length !== 1)).toEqual([])
    expect([atOnce(creates(works)) <= 4, podPorts(run).length]).toEqual([true, 50])
  })

  test("creates of nearly five minutes: pods stop waiting after the timeout, but no fifth create is sent before one of four is answered", async () => {
    await using run = await testCluster()
    const works = slow(run, (call) => (isCreate(call) ? 290_000 : 0))
    await start(run, burst)
    await run.cluster.advance("280s")
    expect([atOnce(creates(works)), creates(works).length]).toEqual([4, 4])
    await run.cluster.advance("20s")
    expect(creates(works).length).toBeGreaterThan(4)
  })

  test("a create that comes about long after another was made: the pod keeps the one it has, and the other goes", async () => {
    await using run = await testCluster()
    let first = true
    const works = slow(run, (call) => {
      if (!isCreate(call) || !first) return 0
      first = false
      return 400_000
    })
    await start(run, ["web-1"])
    await run.cluster.advance("6m")
    const its = await podVif(run, "web-1")
    expect([its?.active, works.length, podPorts(run).length]).toEqual([true, 1, 1])
    await run.cluster.advance("10m")
    expect([podPorts(run).map(({ id }) => id), (await podVif(run, "web-1"))?.id]).toEqual([[its?.id], its?.id])
  })

  test("a pod that goes while its create is unanswered: the port goes as soon as there is one", async () => {
    await using run = await testCluster()
    slow(run, (call) => (isCreate(call) ? 95_000 : 0))
    await start(run, ["web-1"])
    await run.cluster.advance("65s")
    await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
    await run.cluster.advance("60s")
    expect([podPorts(run), run.kuryr().failed()]).toEqual([[], []])
  })
})

test("pods that go while they wait for their turn: nothing is asked for, and who comes after them is served at once", async () => {
  await using run = await testCluster()
  const works = slow(run, (call) => (isCreate(call) ? 50_000 : 0))
  const many = Array.from({ length: 100 }, (_, at) => `gone-${at}`)
  await start(run, many)
  await run.cluster.advance("30s")
  const underWay = creates(works).flatMap(namesIn)
  expect(underWay.length).toBeLessThan(10)
  for (const name of many) await run.cluster.client.delete(pods, `default/${name}`, { gracePeriodSeconds: 0 })
  await run.cluster.advance("1s")
  await start(run, ["new"])
  // The end of the calls that are under way, and one of its own.
  await run.cluster.advance("75s")
  expect(await actives(run, ["new"])).toBe(1)
  await run.cluster.advance("1m")
  expect(creates(works).flatMap(namesIn)).toEqual([...underWay, "new"])
  expect([podPorts(run).length, run.kuryr().failed()]).toEqual([1, []])
  expect(await objectsWithEvent(run, "KuryrPortFailed")).toEqual(new Set())
})

describe("an Octavia slower than the timeouts", () => {
  test.each([95, 200])(
    "creates of %i s for ten Services: each gets an event, none is created twice, and each has its tree in the end; few calls at once",
    async (seconds) => {
      await using run = await testCluster()
      const works: Work[] = []
      run.cloud.fault = (call) => {
        if (call.service !== "octavia") return undefined
        const from = run.cluster.clock.elapsed()
        const takes = call.verb === "POST" && call.path.endsWith("/loadbalancers") ? seconds * 1000 : 500
        works.push({ call, from, to: from + takes })
        return { takes }
      }
      const names = Array.from({ length: 10 }, (_, at) => `web-${at}`)
      for (const name of names) {
        await run.cluster.apply(testService(name, { selector: undefined }))
        await give(run, name, "10.10.9.1")
      }
      await run.cluster.advance("70s")
      expect([...(await objectsWithEvent(run, "KuryrLoadBalancerFailed"))].toSorted()).toEqual(names)
      await run.cluster.advance("15m")
      expect(await Promise.all(names.map((name) => members(run, name)))).toEqual(names.map(() => 1))
      const trees = [...run.cloud.octavia.balancers.rows.values()].map(({ name }) => name)
      expect(trees.toSorted()).toEqual(["kubernetes", ...names].map((name) => `default/${name}`))
      const posts = works.filter(({ call }) => call.verb === "POST" && call.path.endsWith("/loadbalancers"))
      expect(posts).toHaveLength(10)
      expect(atOnce(works)).toBeLessThanOrEqual(20)
      expect(run.kuryr().failed()).toEqual([])
    },
  )
})

test("spare ports whose answer was lost are found, and are spare", async () => {
  const sections = {
    kubernetes: { vif_pool_driver: "neutron" },
    vif_pool: { ports_pool_min: 3, ports_pool_batch: 4, ports_pool_max: 5 },
  }
  await using run = await testCluster({ sections })
  let lost = 0
  run.cloud.fault = (call) =>
    isCreate(call) && JSON.stringify(call.body).includes("available-port") && lost++ === 0 ? { loseAnswer: true } : undefined
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.advance("4m")
  const spare = podPorts(run).filter(({ name }) => name === "available-port")
  // Those that were lost. They were found before others were made in their place.
  expect([lost, spare.length]).toEqual([1, 4])
  // From here on no other can be made.
  run.cloud.fault = (call) => (isCreate(call) ? { status: 503 } : undefined)
  const more = Array.from({ length: 4 }, (_, at) => `more-${at}`)
  for (const name of more) await run.cluster.apply(testPod(name))
  await run.cluster.advance("1m")
  const given = await Promise.all(more.map(async (name) => (await podVif(run, name))?.id ?? ""))
  expect(given.toSorted()).toEqual(spare.map(({ id }) => id).toSorted())
})
