import { VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type Target, Targets } from "./targets.ts"

const target = (name: string): Target => ({ address: name, port: 80 })

function ready(...names: readonly string[]) {
  const clock = new VirtualClock()
  const targets = new Targets(clock)
  targets.set(names.map(target))
  /** Whom a connection of the client goes to, all of them answering. */
  const connect = (client = "client") => {
    const [first] = targets.choose(client)
    if (first !== undefined) targets.connected(client, first)
    return first?.address
  }
  const chosen = (client = "client") => [...targets.choose(client)].map(({ address }) => address)
  return { clock, targets, connect, chosen }
}

test("each has its turn, and the next in the row is the next to be tried", () => {
  const { chosen } = ready("a", "b", "c")
  expect([chosen(), chosen(), chosen(), chosen()].map((all) => all.join(""))).toEqual(["abc", "bca", "cab", "abc"])
})

describe("a client that stays with its endpoint", () => {
  test("does so until the affinity timeout after its last connection, and no longer", async () => {
    const { clock, targets, connect } = ready("a", "b", "c")
    targets.stick({ timeout: 10_000 })
    connect("other")
    const first = connect()
    await clock.advance(9999)
    expect(connect()).toBe(first)
    await clock.advance(9999)
    expect(connect()).toBe(first)
    await clock.advance(10_000)
    expect(connect()).not.toBe(first)
  })

  test("tries the others when that refuses, and stays with whom it got", () => {
    const { targets, connect, chosen } = ready("a", "b", "c")
    targets.stick({ timeout: 10_000 })
    const first = connect()!
    expect(chosen()).toHaveLength(3)
    expect(chosen()[0]).toBe(first)
    targets.refused(target(first))
    const second = connect()
    expect(second).not.toBe(first)
    targets.recovered(target(first))
    expect([connect(), connect()]).toEqual([second, second])
  })

  test("is forgotten when affinity is switched off", () => {
    const { targets, connect } = ready("a", "b")
    targets.stick({ timeout: 10_000 })
    const first = connect()
    targets.stick(undefined)
    targets.stick({ timeout: 10_000 })
    expect(connect()).not.toBe(first)
  })

  test("is forgotten first where ten thousand came after it", () => {
    const { targets, connect } = ready("a", "b")
    targets.stick({ timeout: 10_000 })
    const [first, second] = [connect("1"), connect("2")]
    for (let client = 3; client <= 10_001; client++) connect(String(client))
    expect(connect("2")).toBe(second)
    const turns = [connect("1"), first]
    // Whose turn it is now is that of the other: who is remembered does not take turns.
    expect(turns[0]).not.toBe(turns[1])
  })
})

describe("an endpoint that refused", () => {
  test("comes last for five seconds", async () => {
    const { clock, targets, chosen } = ready("a", "b")
    targets.refused(target("a"))
    await clock.advance(4999)
    expect([chosen(), chosen()]).toEqual([
      ["b", "a"],
      ["b", "a"],
    ])
    await clock.advance(1)
    expect(new Set([chosen()[0], chosen()[0]])).toEqual(new Set(["a", "b"]))
  })

  test("and left is as good as any other when it comes back", () => {
    const { targets, chosen } = ready("a", "b")
    targets.refused(target("a"), Number.POSITIVE_INFINITY)
    targets.set([target("b")])
    targets.set([target("a"), target("b")])
    expect(new Set([chosen()[0], chosen()[0]])).toEqual(new Set(["a", "b"]))
  })

  test("after it had left was still called down when its address came back", () => {
    const { targets, chosen } = ready("a", "b")
    targets.set([target("b")])
    targets.refused(target("a"), Number.POSITIVE_INFINITY)
    targets.set([target("a"), target("b")])
    expect(new Set([chosen()[0], chosen()[0]])).toEqual(new Set(["a", "b"]))
  })
})

describe("endpoints that change while one of them is tried", () => {
  test("one that left meanwhile got the connection", () => {
    const { targets } = ready("a", "b", "c")
    targets.refused(target("a"))
    const choice = targets.choose("client")
    expect(choice.next().value).toEqual(target("b"))
    targets.set([target("b")])
    expect([...choice]).toEqual([])
  })

  test("one that came meanwhile is tried when all others have refused", () => {
    const { targets } = ready("a")
    const choice = targets.choose("client")
    expect(choice.next().value).toEqual(target("a"))
    targets.set([target("a"), target("b")])
    expect([...choice]).toEqual([target("b")])
  })
})
