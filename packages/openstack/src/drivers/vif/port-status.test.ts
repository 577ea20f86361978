import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Filter } from "../../clients/calls/collection.ts"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import { PortStatus } from "./port-status.ts"

/** A Neutron whose calls take so long, with ports that are active so many milliseconds after the start. */
function testStatus({ callTakes = 0, activeAt = {} as Readonly<Record<string, number>> } = {}) {
  const clock = new VirtualClock()
  const calls: { readonly at: number; readonly ids: readonly string[] }[] = []
  const list = async ({ id }: Filter) => {
    const ids = id as readonly string[]
    calls.push({ at: clock.elapsed(), ids })
    if (callTakes > 0) await clock.sleep(callTakes)
    const known = ids.filter((one) => activeAt[one] !== undefined)
    return known.map((one) => ({ id: one, status: clock.elapsed() >= activeAt[one]! ? "ACTIVE" : "DOWN" }))
  }
  const status = new PortStatus({ ports: { list } } as unknown as Pick<Neutron, "ports">, clock)
  /** As the handler does: looks until it is active, and says when that was. */
  async function untilActive(id: string, isNew = true): Promise<number> {
    while ((await status.of(id, isNew))?.status !== "ACTIVE") await clock.sleep(status.nextPoll(id))
    return clock.elapsed()
  }
  return { clock, calls, status, untilActive }
}

test("queries at once share a call, 50 at most, and a missing port is undefined", async () => {
  const ids = Array.from({ length: 60 }, (_, at) => `port-${at}`)
  const { clock, calls, status } = testStatus({ activeAt: Object.fromEntries(ids.map((id) => [id, 0])) })
  const answers = Promise.all([...ids, "gone"].map((id) => status.of(id, true)))
  await clock.advance("1s")
  expect((await answers).map((one) => one?.status)).toEqual([...ids.map(() => "ACTIVE"), undefined])
  expect(calls.map((call) => call.ids.length)).toEqual([50, 11])
})

test("a slow Neutron is left in peace between two calls, and one call is under way at a time", async () => {
  const { clock, calls, untilActive } = testStatus({ callTakes: 100, activeAt: { one: 5_000, two: 5_000 } })
  const seen = Promise.all([untilActive("one"), clock.sleep(50).then(() => untilActive("two"))])
  await clock.advance("10s")
  await seen
  for (const [at, call] of calls.entries()) if (at > 0) expect(call.at - calls[at - 1]!.at).toBeGreaterThanOrEqual(400)
})

test("the time of the first says when to query the next: few calls, and it is seen at once", async () => {
  const activeAt: Record<string, number> = { first: 600 }
  const { clock, calls, untilActive } = testStatus({ activeAt })
  const first = untilActive("first")
  await clock.advance("2s")
  await first
  const [before, began] = [calls.length, clock.elapsed()]
  activeAt.second = began + 600
  const second = untilActive("second")
  await clock.advance("2s")
  expect((await second) - began).toBeLessThan(750)
  expect(calls.length - before).toBeLessThanOrEqual(2)
})

test("one that is never active is looked at ever more rarely", async () => {
  const { clock, calls, untilActive } = testStatus({ activeAt: { never: Number.POSITIVE_INFINITY } })
  void untilActive("never")
  await clock.advance("10m")
  const before = calls.length
  await clock.advance("10m")
  expect(calls.length - before).toBeLessThanOrEqual(20)
})

test("ten thousand ports of pods that went before they were active: a later one is looked at ever more rarely all the same", async () => {
  const gone = Array.from({ length: 10_000 }, (_, at) => `gone-${at}`)
  const activeAt = Object.fromEntries([...gone, "never"].map((id) => [id, Number.POSITIVE_INFINITY]))
  const { clock, calls, status, untilActive } = testStatus({ activeAt })
  const asked = Promise.all(gone.map((id) => status.of(id, true)))
  await clock.advance("1m")
  expect(new Set((await asked).map((one) => one?.status))).toEqual(new Set(["DOWN"]))
  void untilActive("never")
  await clock.advance("10m")
  const before = calls.length
  await clock.advance("10m")
  expect(calls.length - before).toBeLessThanOrEqual(20)
})

test("after slow ones a port that is quick is looked at within a second", async () => {
  const activeAt: Record<string, number> = { slow: 60_000 }
  const { clock, untilActive } = testStatus({ activeAt })
  const slow = untilActive("slow")
  await clock.advance("2m")
  await slow
  const began = clock.elapsed()
  activeAt.quick = began
  const quick = untilActive("quick")
  await clock.advance("5s")
  expect((await quick) - began).toBeLessThan(1_100)
})

test("a spare port that is given out may be active already: it is asked for at once", async () => {
  const activeAt: Record<string, number> = { first: 600, spare: 0 }
  const { clock, untilActive } = testStatus({ activeAt })
  const first = untilActive("first")
  await clock.advance("2s")
  await first
  const began = clock.elapsed()
  const spare = untilActive("spare", false)
  await clock.advance("2s")
  expect((await spare) - began).toBeLessThan(50)
})
