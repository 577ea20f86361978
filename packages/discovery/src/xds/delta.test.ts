import { describe, expect, test } from "vitest"
import { streamScript } from "../testing/stream-script.ts"
import { deltaRequest } from "./delta.ts"
import { Watch } from "./watch.ts"

const held = (versions: Record<string, string>) => new Map(Object.entries(versions))

describe("first requests", () => {
  test("clusters without names are all clusters", () => {
    expect(streamScript("delta", "cluster", { a: "1", b: "1" }).delta({})).toBe("a b")
  })
  test('"*" is all as well', () => {
    expect(streamScript("delta", "cluster", { a: "1" }).delta({ subscribe: ["*"] })).toBe("a")
  })
  test("all of nothing is answered", () => {
    expect(streamScript("delta", "listener", {}).delta({})).toBe("an empty answer")
  })
  test("a name that does not exist is answered as removed, and sent when it comes", () => {
    const stream = streamScript("delta", "route", {})
    expect(stream.delta({ subscribe: ["80"] })).toBe("-80")
    expect(stream.change({ 80: "1" })).toBe("80")
  })
})

describe("what a response must not have", () => {
  test("a name twice, however often and by whatever way it was asked for", () => {
    expect(streamScript("delta", "cluster", { a: "1", b: "1" }).delta({ subscribe: ["a", "*", "a"] })).toBe("a b")
    const stream = streamScript("delta", "endpoint", { a: "1" })
    expect(stream.delta({ subscribe: ["a", "a"] })).toBe("a")
    expect(stream.delta({ subscribe: ["a", "none", "none"] })).toBe("-none a")
  })
  test("endpoints and routes for a first request without names: only roots have an implicit wildcard", () => {
    for (const kind of ["endpoint", "route"] as const) {
      const stream = streamScript("delta", kind, { a: "1" })
      expect(stream.delta({})).toBe("nothing")
      expect(stream.change({ a: "2" })).toBe("nothing")
    }
  })
})

describe("reconnect with known versions", () => {
  test("only what differs is sent, and what is gone is removed", () => {
    const stream = streamScript("delta", "cluster", { a: "1", b: "2", d: "1" })
    expect(stream.delta({ initialVersions: held({ a: "1", b: "1", c: "1" }) })).toBe("-c b d")
  })
  test("all the same is an empty answer for clusters", () => {
    expect(streamScript("delta", "cluster", { a: "1" }).delta({ initialVersions: held({ a: "1" }) })).toBe("an empty answer")
  })
  test("all the same is no answer for endpoints", () => {
    const stream = streamScript("delta", "endpoint", { a: "1" })
    expect(stream.delta({ subscribe: ["a"], initialVersions: held({ a: "1" }) })).toBe("nothing")
    expect(stream.change({ a: "2" })).toBe("a")
  })
  test("what is held and not wanted any more is forgotten", () => {
    const stream = streamScript("delta", "endpoint", { a: "1", b: "1" })
    stream.delta({ subscribe: ["a"], initialVersions: held({ a: "1", b: "1" }) })
    expect([...stream.watch.sentVersions.keys()]).toEqual(["a"])
  })
})

describe("later requests", () => {
  const started = () => {
    const stream = streamScript("delta", "endpoint", { a: "1", b: "1", c: "1" })
    stream.delta({ subscribe: ["a"] })
    return stream
  }
  test("an ACK gets no answer", () => {
    const stream = started()
    expect(stream.delta({ nonce: "1" })).toBe("nothing")
    expect(stream.watch.acked).toBe("1")
  })
  test("a name that is subscribed already is answered again", () => {
    expect(started().delta({ subscribe: ["a"] })).toBe("a")
  })
  test("a pure unsubscribe gets no answer, and no more news", () => {
    const stream = started()
    expect(stream.delta({ unsubscribe: ["a"] })).toBe("nothing")
    expect(stream.change({ a: "2" })).toBe("nothing")
  })
  test('a name that "*" still covers is answered when it is unsubscribed', () => {
    const stream = streamScript("delta", "cluster", { a: "1", b: "1" })
    stream.delta({ subscribe: ["*", "a", "x"] })
    expect(stream.delta({ unsubscribe: ["a", "x"] })).toBe("-x a")
  })
  test('names beside an implicit "*" leave it as it is', () => {
    const stream = streamScript("delta", "cluster", { a: "1" })
    stream.delta({})
    expect(stream.delta({ subscribe: ["lazy"] })).toBe("-lazy")
    expect(stream.change({ b: "1" })).toBe("b")
  })
  test('"*" that is unsubscribed leaves the names', () => {
    const stream = streamScript("delta", "cluster", { a: "1", b: "1" })
    stream.delta({ subscribe: ["*", "a"] })
    expect(stream.delta({ unsubscribe: ["*"] })).toBe("nothing")
    expect(stream.change({ a: "2", b: "2" })).toBe("a")
  })
  test("a stale nonce voids no subscription", () => {
    const stream = started()
    stream.change({ a: "2" })
    stream.delta({ nonce: "2" })
    expect(stream.delta({ nonce: "1", subscribe: ["b"], unsubscribe: ["a"] })).toBe("b")
    expect([...stream.watch.names]).toEqual(["b"])
    expect(stream.watch.acked).toBe("2")
  })
  test("an ACK may skip nonces", () => {
    const stream = started()
    stream.change({ a: "2" })
    stream.delta({ nonce: "2" })
    expect(stream.watch.acked).toBe("2")
  })
  test("a NACK keeps its text, honours its names, and nothing is sent again for it", () => {
    const stream = started()
    expect(stream.delta({ nonce: "1", error: "bad", subscribe: ["b"] })).toBe("b")
    expect(stream.watch).toMatchObject({ nackText: "bad", acked: "" })
    expect(stream.change({ a: "1" })).toBe("nothing")
    expect(stream.change({ a: "2" })).toBe("a")
  })
  test.each(["99", "none", "-1", "0", "01", "1e0", "Infinity", " 1"])(
    "the nonce %j was never sent: it is neither an ACK nor a NACK",
    (nonce) => {
      const stream = started()
      stream.delta({ nonce })
      stream.delta({ nonce, error: "bad" })
      expect(stream.watch).toMatchObject({ acked: "", nacked: "", nackText: "" })
    },
  )
})

describe("changes", () => {
  test("what is gone is removed once", () => {
    const stream = streamScript("delta", "cluster", { a: "1", b: "1" })
    stream.delta({})
    expect(stream.change({ a: undefined })).toBe("-a")
    expect(stream.change({ a: undefined })).toBe("nothing")
  })
  test("one changed cluster goes alone", () => {
    const stream = streamScript("delta", "cluster", { a: "1", b: "1" })
    stream.delta({})
    expect(stream.change({ a: "2" })).toBe("a")
  })
  test("endpoints that a changed cluster waits for are sent though they are the same", () => {
    const stream = streamScript("delta", "endpoint", { a: "1" })
    stream.delta({ subscribe: ["a"] })
    expect(stream.change({}, ["a"])).toBe("a")
  })
})

describe("long requests", () => {
  /** How often the list is read while one request swaps so many names for others. */
  function readsOfSwap(count: number): number {
    let reads = 0
    const names = (prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
    const counted = new Proxy(names("b"), {
      get(target, key, receiver) {
        reads++
        return Reflect.get(target, key, receiver)
      },
    })
    const stream = streamScript("delta", "cluster", {})
    stream.delta({ subscribe: names("a") })
    stream.delta({ subscribe: counted, unsubscribe: names("a") })
    expect(stream.watch.names.size).toBe(count)
    return reads
  }
  test("a swap of N names for N others reads the list a fixed number of times", () => {
    expect(readsOfSwap(800) / readsOfSwap(100)).toBeLessThan(9)
  })
  test("more than a thousand names are deferred: by name, whether they exist or not; those that the client holds only where they differ", () => {
    const watch = new Watch("cluster")
    const names = Array.from({ length: 1_001 }, (_, at) => `c${at}`)
    const request = { subscribe: names, unsubscribe: [], initialVersions: held({ c0: "1" }), nonce: "" }
    const never = () => {
      throw new Error("nothing is made for it yet")
    }
    const step = deltaRequest(watch, request, { find: never, names: never })
    expect(step).toMatchObject({ deferred: { names: ["c0"], forced: names.slice(1) } })
    expect(step.answer).toBeUndefined()
  })
})
