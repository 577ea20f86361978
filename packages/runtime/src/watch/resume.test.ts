import { forbidden, internalError, StatusError, serviceUnavailable, timeout, tooManyRequests, unauthorized } from "@pilothouse/api"
import { configMaps } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { short } from "../testing/informer-fixture.ts"
import { expectTruth, requestsOf, startedWith, untilWatchEnds } from "./testing/watching.ts"

describe("a watch that fails goes on where it was", () => {
  const passing: readonly [string, StatusError][] = [
    ["BackoffOnTooManyRequests, NoRelistOnTooManyRequests: 429", tooManyRequests("slow down")],
    ["RetryInternalError: 500", internalError("etcd is choosing a leader")],
    ["503", serviceUnavailable("shutting down")],
    ["504", timeout("too slow")],
  ]
  test.each(passing)("%s", async (_name, error) => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("watch", { do: "refuse", error }, { do: "refuse", error })
    await untilWatchEnds(fixture)
    fixture.api.put("b")
    await fixture.clock.advance("10s")
    expect(requestsOf(fixture)).toEqual(["stream", "watch@1", "watch@1", "watch@1"])
    expectTruth(fixture)
  })

  test.each([
    [
      unauthorized("Unauthorized"),
      "Unauthorized: the server does not accept the credentials; check token or certificate of the user in the kubeconfig",
    ],
    [forbidden(configMaps, "", "no"), expect.stringMatching(/forbidden.*; allow list and watch in a Role or ClusterRole of this user$/)],
  ])("an error that a user has to fix is logged with advice: %s", async (error, says) => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("watch", { do: "refuse", error })
    await untilWatchEnds(fixture)
    await fixture.clock.settle()
    expect(fixture.lines.map(({ fields }) => fields.error)).toEqual([says])
  })

  test("the server's Retry-After is the least to wait", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("watch", { do: "refuse", error: tooManyRequests("slow down", 20) })
    await untilWatchEnds(fixture)
    await fixture.clock.advance("19s")
    expect(requestsOf(fixture)).toEqual(["stream", "watch@1"])
    await fixture.clock.advance("2s")
    expect(requestsOf(fixture)).toEqual(["stream", "watch@1", "watch@1"])
  })

  test("the server's Retry-After is waited for after a watch that lived long, too", async () => {
    await using fixture = await startedWith(["a"])
    await fixture.clock.advance("31s")
    fixture.api.sendAll({ type: "ERROR", object: tooManyRequests("slow down", 20).status })
    await fixture.clock.advance("19s")
    expect(requestsOf(fixture)).toEqual(["stream"])
    await fixture.clock.advance("2s")
    expect(requestsOf(fixture)).toEqual(["stream", "watch@1"])
  })

  test("a watch that lived long ends the series of failures: the next wait is the shortest again", async () => {
    await using fixture = await startedWith(["a"])
    const waits = () => fixture.events.flatMap((event) => (event.type === "waiting" ? [event.milliseconds] : []))
    fixture.api.next("any", ...Array.from({ length: 3 }, () => ({ do: "lose" }) as const))
    fixture.api.breakAll()
    await fixture.clock.run(() => fixture.events.at(-1)?.type === "connected")
    expect(waits().at(-1)).toBeGreaterThanOrEqual(3200)
    await fixture.clock.advance("31s")
    fixture.api.next("any", { do: "lose" })
    fixture.api.breakAll()
    await fixture.clock.settle()
    expect(waits()).toHaveLength(5)
    expect(waits().at(-1)).toBeLessThanOrEqual(1600)
  })

  test("a server that is not there is asked again until it is, and then how far it is", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("any", ...Array.from({ length: 6 }, () => ({ do: "lose" }) as const))
    fixture.api.breakAll()
    await fixture.clock.advance("5m")
    fixture.api.put("b")
    await fixture.clock.settle()
    expect(requestsOf(fixture)).toEqual(["stream", ...Array.from({ length: 7 }, () => "list/1"), "watch@1"])
    expect(fixture.seen.map(short)).toEqual(["initially added a@1", "added b@2"])
  })

  test.each([
    ["is not there", { do: "lose" }],
    ["refuses everything", { do: "refuse", error: internalError("ill") }],
    ["never answers", { do: "hang" }],
  ] as const)("an hour of a server that %s costs it few requests, one at a time, and the informer nothing", async (_, fault) => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("any", ...Array.from({ length: 1000 }, () => fault))
    fixture.api.breakAll()
    const before = fixture.api.requests.length
    await fixture.clock.advance("1h")
    const requests = fixture.api.requests.length - before
    expect(requests).toBeGreaterThan(10)
    expect(requests).toBeLessThan(3600 / 30 + 10)
    fixture.api.faults.length = 0
    fixture.api.put("b")
    await fixture.clock.advance("6m")
    expectTruth(fixture)
    expect(fixture.api.openWatches).toBe(1)
  })

  test("an internal error that comes again and again at the same place is poison: the state is listed instead", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("watch", ...Array.from({ length: 5 }, () => ({ do: "error-event", error: internalError("cannot decode") }) as const))
    await untilWatchEnds(fixture)
    await fixture.clock.advance("3m")
    expect(requestsOf(fixture)).toEqual(["stream", ...Array.from({ length: 5 }, () => "watch@1"), "stream@1"])
  })

  test("ReplacesStoreOnUnsafeDelete: an object that can no longer be read is found gone by a list", async () => {
    await using fixture = await startedWith(["a", "broken"])
    const error = new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "StorageReadError",
      code: 500,
    })
    fixture.api.next("watch", { do: "error-event", error })
    await untilWatchEnds(fixture)
    fixture.api.remove("broken")
    await fixture.clock.advance("5s")
    expect(requestsOf(fixture)).toEqual(["stream", "watch@2", "stream@2"])
    expect(fixture.seen.map(short).at(-1)).toBe("deleted? broken@2")
    expectTruth(fixture)
  })

  test("VeryShortWatch: a watch that ends within a second and brings nothing is not asked for again at once", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("watch", { do: "delay", milliseconds: 1 })
    await fixture.clock.advance("30s")
    fixture.api.endAll()
    await fixture.clock.advance(2)
    fixture.api.endAll()
    await fixture.clock.settle()
    expect(requestsOf(fixture)).toEqual(["stream", "list/1", "watch@1"])
    expect(fixture.events.at(-1)).toMatchObject({ type: "waiting", before: "probe" })
  })

  test("WatchTimeout: a watch asks to be ended after 5 to 10 minutes, and the next begins at once where it ended", async () => {
    await using fixture = await startedWith(["a"])
    await fixture.clock.advance("20m")
    const timeouts = fixture.api.requests.map(({ query }) => Number(query.timeoutSeconds))
    expect(timeouts.length).toBeGreaterThanOrEqual(3)
    for (const seconds of timeouts) expect(seconds).toSatisfy((given: number) => given >= 300 && given <= 600)
    expect(fixture.events.filter(({ type }) => type === "waiting" || type === "listed")).toHaveLength(1)
    expect(new Set(requestsOf(fixture).slice(1))).toEqual(new Set(["watch@1"]))
  })
})
