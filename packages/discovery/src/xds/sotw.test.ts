import { describe, expect, test } from "vitest"
import { streamScript } from "../testing/stream-script.ts"

describe("first requests", () => {
  test("clusters without names are all clusters", () => {
    expect(streamScript("sotw", "cluster", { a: "1", b: "1" }).sotw([])).toBe("a b")
  })
  test('"*" is all, and names beside it are kept', () => {
    const stream = streamScript("sotw", "listener", { a: "1", b: "1" })
    expect(stream.sotw(["*", "later"])).toBe("a b")
    expect(stream.change({ later: "1" })).toBe("a b later")
  })
  test("all of nothing is answered too: Envoy waits for it", () => {
    expect(streamScript("sotw", "listener", {}).sotw([])).toBe("an empty answer")
  })
  test("endpoints without names are nothing", () => {
    const stream = streamScript("sotw", "endpoint", { a: "1" })
    expect(stream.sotw([])).toBe("nothing")
    expect(stream.change({ a: "2" })).toBe("nothing")
  })
  test("only what was asked for", () => {
    expect(streamScript("sotw", "endpoint", { a: "1", b: "1" }).sotw(["b"])).toBe("b")
  })
  test("an old version and no nonce, after a reconnect, is answered", () => {
    expect(streamScript("sotw", "endpoint", { a: "1" }).sotw(["a"], { version: "1" })).toBe("a")
  })
  test("one that looks like an ACK, with the nonce of another stream, is answered", () => {
    const stream = streamScript("sotw", "endpoint", { a: "1" })
    expect(stream.sotw(["a"], { version: "1", nonce: "17" })).toBe("a")
    expect(stream.watch.acked).toBe("")
  })
  test("a name that does not exist yet is sent when it does", () => {
    const stream = streamScript("sotw", "route", {})
    expect(stream.sotw(["80"])).toBe("nothing")
    expect(stream.change({ 80: "1" })).toBe("80")
  })
})

describe("later requests", () => {
  const acked = (kind: "cluster" | "endpoint" = "endpoint") => {
    const stream = streamScript("sotw", kind, { a: "1", b: "1", c: "1" })
    stream.sotw(["a", "b"])
    stream.sotw(["b", "a"], { nonce: "1", version: "x" })
    return stream
  }
  test("the same nonce and names, in any order, are an ACK and get no answer", () => {
    const stream = acked()
    expect(stream.watch.acked).toBe("1")
    expect(stream.sotw(["a", "b"], { nonce: "1" })).toBe("nothing")
  })
  test("added endpoints are sent alone", () => {
    expect(acked().sotw(["a", "b", "c"], { nonce: "1" })).toBe("c")
  })
  test("added clusters come with all others: what an answer lacks is deleted", () => {
    expect(acked("cluster").sotw(["a", "b", "c"], { nonce: "1" })).toBe("a b c")
  })
  test("only removed names change the set and get no answer", () => {
    const stream = acked()
    expect(stream.sotw(["a"], { nonce: "1" })).toBe("nothing")
    expect(stream.change({ b: "2" })).toBe("nothing")
  })
  test("a name that was dropped and is asked for again is sent again", () => {
    const stream = acked()
    stream.sotw(["a"], { nonce: "1" })
    expect(stream.sotw(["a", "b"], { nonce: "1" })).toBe("b")
  })
  test("an empty nonce again is a change of names, not a new start", () => {
    const stream = streamScript("sotw", "endpoint", { a: "1", b: "1" })
    stream.sotw(["a", "b"])
    expect(stream.sotw(["a"])).toBe("nothing")
  })
  test("after any name an empty list means nothing, not everything", () => {
    const stream = acked("cluster")
    expect(stream.sotw([], { nonce: "1" })).toBe("nothing")
    expect(stream.change({ a: "2" })).toBe("nothing")
  })
  test('after "*" too: it is an explicit name, and an empty request does not restore what was given up', () => {
    const stream = streamScript("sotw", "cluster", { a: "1" })
    stream.sotw(["*"])
    expect(stream.sotw([], { nonce: "1" })).toBe("nothing")
    expect(stream.watch).toMatchObject({ wildcard: false, everNamed: true })
    expect(stream.change({ a: "2" })).toBe("nothing")
    expect(stream.sotw([], { nonce: "1" })).toBe("nothing")
  })
  test("names after a list that was empty end the wildcard, and are sent", () => {
    const stream = streamScript("sotw", "cluster", { a: "1", b: "1" })
    stream.sotw([])
    expect(stream.sotw(["a"], { nonce: "1" })).toBe("a")
    expect(stream.change({ b: "2" })).toBe("nothing")
  })
  test("a stale nonce is no ACK, but its names count", () => {
    const stream = streamScript("sotw", "endpoint", { a: "1", b: "1" })
    stream.sotw(["a"])
    stream.change({ a: "2" })
    expect(stream.sotw(["a", "b"], { nonce: "1" })).toBe("b")
    expect(stream.watch.acked).toBe("")
  })
})

describe("NACK", () => {
  const refused = () => {
    const stream = streamScript("sotw", "endpoint", { a: "1", b: "1" })
    stream.sotw(["a"])
    expect(stream.sotw(["a"], { nonce: "1", error: "bad address" })).toBe("nothing")
    return stream
  }
  test("its text is kept and the same thing is not sent again", () => {
    const stream = refused()
    expect(stream.watch).toMatchObject({ nacked: "1", nackText: "bad address", acked: "" })
    expect(stream.change({ a: "1" })).toBe("nothing")
  })
  test("names in it are honoured", () => {
    expect(refused().sotw(["a", "b"], { nonce: "1", error: "bad address" })).toBe("b")
  })
  test("the same nonce without an error changes names and takes nothing back", () => {
    const stream = refused()
    expect(stream.sotw(["a", "b"], { nonce: "1" })).toBe("b")
    expect(stream.watch).toMatchObject({ acked: "", nackText: "bad address" })
  })
  test("a changed resource is sent, and its ACK ends the refusal", () => {
    const stream = refused()
    expect(stream.change({ a: "2" })).toBe("a")
    stream.sotw(["a"], { nonce: "2" })
    expect(stream.watch).toMatchObject({ acked: "2", nackText: "" })
  })
})

describe("changes", () => {
  test("only what changed of the endpoints, all of the clusters", () => {
    const endpoints = streamScript("sotw", "endpoint", { a: "1", b: "1" })
    endpoints.sotw(["a", "b"])
    expect(endpoints.change({ a: "2" })).toBe("a")
    const clusters = streamScript("sotw", "cluster", { a: "1", b: "1" })
    clusters.sotw([])
    expect(clusters.change({ a: "2" })).toBe("a b")
  })
  test("a deleted cluster is signalled by its absence", () => {
    const stream = streamScript("sotw", "cluster", { a: "1", b: "1" })
    stream.sotw([])
    expect(stream.change({ a: undefined })).toBe("b")
  })
  test("the last one gone is an empty answer", () => {
    const stream = streamScript("sotw", "cluster", { a: "1" })
    stream.sotw([])
    expect(stream.change({ a: undefined })).toBe("an empty answer")
  })
  test("a route that is gone is not told, and told again when it is back", () => {
    const stream = streamScript("sotw", "route", { 80: "1" })
    stream.sotw(["80"])
    expect(stream.change({ 80: undefined })).toBe("nothing")
    expect(stream.change({ 80: "1" })).toBe("80")
  })
  test("nothing is sent where nothing differs", () => {
    const stream = streamScript("sotw", "cluster", { a: "1" })
    stream.sotw([])
    expect(stream.change({ a: "1" })).toBe("nothing")
  })
  test("endpoints that a changed cluster waits for are sent though they are the same", () => {
    const stream = streamScript("sotw", "endpoint", { a: "1" })
    stream.sotw(["a"])
    expect(stream.change({}, ["a"])).toBe("a")
  })
  test("endpoints sent before they were asked for are sent again when they are", () => {
    const stream = streamScript("sotw", "endpoint", { a: "1", b: "1" })
    stream.sotw(["a"])
    expect(stream.change({}, ["b"])).toBe("b")
    expect(stream.sotw(["a", "b"], { nonce: "2" })).toBe("b")
  })
})
