import { runInNewContext } from "node:vm"
import { conflict, forbidden, StatusError, tooManyRequests } from "@pilothouse/api"
import { type ConfigMap, configMaps, events } from "@pilothouse/api/core/v1"
import { type Duration, PilothouseError, type Transport, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { testManager } from "../manager/testing/manager.ts"
import { type ControllerSpec, controller, type ReconcileResult } from "./controller.ts"
import { followUp, RetryAfterError } from "./follow-up.ts"
import { executor } from "./plan/executor.ts"
import type { Plan } from "./plan/plan.ts"
import { plan } from "./plan/plan-builder.ts"
import { configMap, configMapController } from "./testing/config-map-controller.ts"

describe("what follows a reconcile", () => {
  /** Runs a controller for a while on one ConfigMap, and tells at which second it looked at it. */
  async function secondsOf(
    spec: Partial<ControllerSpec<ConfigMap>>,
    during: Duration,
  ): Promise<{ seconds: readonly number[]; running: Awaited<ReturnType<typeof testManager>> }> {
    const running = await testManager([configMapController(spec)])
    await running.server.apply(configMap("a"))
    const start = running.clock.now()
    await running.server.advance(during)
    const looks = running.manager.trace.entries().filter(({ key }) => key === "default/a")
    return { seconds: looks.map(({ at }) => (at - start) / 1000), running }
  }

  test("an observation is waited for, also where it is a promise of another realm", async () => {
    const decided: unknown[] = []
    const elsewhere: <T>(value: T) => Promise<T> = runInNewContext("(value) => Promise.resolve(value)")
    expect(elsewhere(1)).not.toBeInstanceOf(Promise)
    await using running = await testManager([
      configMapController({
        observe: (key, read) => elsewhere(read.get(configMaps, key)),
        decide: (observed) => {
          decided.push(observed.metadata?.name)
          return plan().nothing("it is only a test")
        },
      }),
    ])
    await running.server.apply(configMap("a"))
    await running.server.settled()
    expect(decided).toContain("a")
  })

  test("rest until something changes", async () => {
    const { seconds, running } = await secondsOf({}, "24h")
    await using _running = running
    expect(seconds).toEqual([0])
  })

  test("another look after the time the plan asks for", async () => {
    const { seconds, running } = await secondsOf({ decide: () => plan().requeueAfter("10m", "it may be night") }, "31m")
    await using _running = running
    expect(seconds).toEqual([0, 600, 1200, 1800])
  })

  test("a retry after 5 ms, 10 ms, 20 ms … when it failed", async () => {
    const { seconds, running } = await secondsOf({ decide: () => plan().update(configMap("none"), "test") }, "100ms")
    await using _running = running
    expect(seconds.map((second) => Math.round(second * 1000))).toEqual([0, 5, 15, 35, 75])
  })

  test("a retry no later than the plan asked for, however long the limiter would wait", async () => {
    const decide = () => plan().update(configMap("none"), "test").requeueAfter("10s", "it is a beat")
    const { seconds, running } = await secondsOf({ decide }, "10m")
    await using _running = running
    const gaps = seconds.slice(1).map((second, index) => second - seconds[index]!)
    expect(Math.max(...gaps)).toBeCloseTo(10)
    expect(Math.round(gaps[0]! * 1000)).toBe(5)
  })

  test("a tolerated conflict is retried, and its events are recorded", async () => {
    const { status } = conflict(configMaps, "a")
    const layer = (inner: Transport): Transport => {
      return async (request) =>
        request.verb === "PUT" && request.path.includes("configmaps")
          ? { status: 409, headers: {}, body: valueBody(status) }
          : inner(request)
    }
    const decide = (config: ConfigMap) =>
      plan()
        .operation({ do: "update", object: config, reason: "test", tolerate: ["Conflict"] })
        .event(config, "Normal", "Tried", "it was tried")
    await using running = await testManager([configMapController({ decide })], { layer })
    await running.server.apply(configMap("a"))
    const start = running.clock.now()
    await running.server.advance("30ms")
    const looks = running.manager.trace.entries().filter(({ key }) => key === "default/a")
    expect(looks.map(({ at, error }) => [at - start, error])).toEqual([0, 5, 15].map((at) => [at, undefined]))
    expect(running.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([])
    await running.server.advance("10s")
    expect((await running.manager.client.list(events)).items.map(({ reason }) => reason)).toContain("Tried")
  })

  test("none after a terminal error, until the object changes", async () => {
    const fail = () => {
      throw new PilothouseError("TERMINAL", "the schedule cannot be read")
    }
    const { seconds, running } = await secondsOf({ decide: fail }, "24h")
    await using _running = running
    expect(seconds).toEqual([0])
    await running.server.apply(configMap("a", { x: "1" }))
    await running.server.settled()
    expect(running.reconciles().filter((look) => look.startsWith("default/a:"))).toHaveLength(2)
    expect(running.lines).toContainEqual(
      expect.objectContaining({ level: "error", message: expect.stringContaining("not retried until the object changes") }),
    )
  })

  test("a retry when the error says that it makes sense", async () => {
    const building = () => {
      throw new RetryAfterError("30s", "the load balancer is being built")
    }
    const { seconds, running } = await secondsOf({ observe: building }, "61s")
    await using _running = running
    expect(seconds).toEqual([0, 30, 60])
  })

  test("the earlier of what the plan and its settling ask for", async () => {
    const decide = () => plan().requeueAfter("10s", "the plan says so")
    for (const [settled, expected] of [
      ["4s", [0, 4, 8]],
      ["20s", [0, 10]],
    ] as const) {
      const { seconds, running } = await secondsOf({ decide, settle: () => plan().requeueAfter(settled, "so does the rest") }, "11s")
      await using _running = running
      expect(seconds).toEqual(expected)
    }
  })

  test("rest, where a namespace that goes away refused to take something", async () => {
    const { status } = forbidden({ group: "", plural: "configmaps" }, "b", "the namespace goes")
    const refusal = { ...status, details: { causes: [{ reason: "NamespaceTerminating" }] } }
    const layer = (inner: Transport): Transport => {
      return async (request) => (request.verb === "POST" ? { status: 403, headers: {}, body: valueBody(refusal) } : inner(request))
    }
    await using running = await testManager([configMapController({ decide: () => plan().create(configMap("b"), "test") })], { layer })
    await running.server.apply(configMap("a"))
    await running.server.advance("1m")
    const looks = running.manager.trace.entries().filter(({ key }) => key === "default/a")
    expect(looks).toMatchObject([{ error: undefined, results: [{ ok: false }] }])
  })

  test("a requeue keeps the priority of its reconcile", async () => {
    const seen: string[] = []
    const slow = configMapController({
      maxConcurrentReconciles: 1,
      priority: (key) => (key === "default/low" ? -5 : 0),
      async observe(key, read) {
        seen.push(key)
        if (key === "default/busy") await running.clock.sleep(10_000)
        return read.get(configMaps, key)
      },
      decide: ({ metadata }) => (metadata.name === "low" ? plan().requeueAfter("1s", "test") : plan().nothing("test")),
    })
    const running = await testManager([slow])
    await using _running = running
    await running.server.apply(configMap("low"))
    await running.server.settled()
    await running.server.apply(configMap("busy"))
    await running.server.advance("2s")
    await running.server.apply(configMap("high"))
    await running.server.advance("9s")
    expect(seen.filter((key) => /low|busy|high/.test(key)).slice(0, 4)).toEqual([
      "default/low",
      "default/busy",
      "default/high",
      "default/low",
    ])
  })

  test("onReconciled receives the result, and whether the key was given up", async () => {
    const ends: ReconcileResult<ConfigMap>[] = []
    const terminal = () => {
      throw new PilothouseError("TERMINAL", "never")
    }
    const refused = () => plan().update(configMap("none"), "test")
    for (const decide of [() => plan().nothing("test"), refused, terminal]) {
      const ended = (key: string, end: ReconcileResult<ConfigMap>) => void (key === "default/a" && ends.push(end))
      const { running } = await secondsOf({ decide, onReconciled: ended }, "1ms")
      await using _running = running
    }
    expect(ends.map(({ error, givenUp }) => [error !== undefined, givenUp])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ])
    expect(ends.map(({ observed }) => observed?.metadata.name)).toEqual(["a", "a", "a"])
  })

  test("a retry where one failure may pass, though another is terminal", async () => {
    type Name = "fail-forever" | "fail-once"
    const failing = (name: Name, error: unknown) => executor(name, () => Promise.reject(error))
    const operation = (name: Name) => ({ do: name, to: "default/a", reason: "test" }) as const
    const executors = [
      failing("fail-forever", new PilothouseError("TERMINAL", "never")),
      failing("fail-once", new PilothouseError("CONNECTION_LOST", "for now")),
    ]
    const decide = () => plan().operation(operation("fail-forever")).operation(operation("fail-once"))
    const { seconds, running } = await secondsOf({ executors, decide }, "10ms")
    await using _running = running
    expect(seconds).toHaveLength(2)
    expect(running.manager.trace.entries().find(({ key }) => key === "default/a")?.error).toBe("for now")
  })

  test.each<[string, unknown, string]>([
    ["nothing", undefined, "found undefined"],
    ["a promise", Promise.resolve(plan()), "found a promise; asynchronous work belongs in observe"],
    ["a list of operations", [], "found object"],
  ])("a decide that returns %s fails with what was expected", async (_what, given, found) => {
    const { running } = await secondsOf({ decide: () => given as Plan }, "1ms")
    await using _running = running
    const { error } = running.manager.trace.entries().find(({ key }) => key === "default/a")!
    expect(error).toBe(`expected a plan from decide of looker, ${found}; return plan(), or plan().nothing("why")`)
  })

  test("a failure is said once, with what was done and what was not; conflicts only when they last", async () => {
    const refused = async (error: StatusError, during: Duration) => {
      const layer = (inner: Transport): Transport => {
        return async (request) =>
          request.verb === "PUT" ? { status: error.statusCode, headers: {}, body: valueBody(error.status) } : inner(request)
      }
      const decide = (found: ConfigMap) => (found.metadata.name === "a" ? plan().update(found, "test") : plan().nothing("test"))
      await using running = await testManager([configMapController({ decide })], { layer })
      await running.server.apply(configMap("a"))
      await running.server.advance(during)
      return running.lines.filter(({ fields }) => fields.key === "default/a")
    }
    const [first, ...more] = await refused(forbidden(configMaps, "a", "no"), "1ms")
    expect(more).toEqual([])
    expect(first).toMatchObject({
      level: "warn",
      fields: { plan: [expect.stringContaining("failed")], error: expect.stringContaining("forbidden") },
    })
    const conflicts = await refused(conflict(configMaps, "a", "old"), "1s")
    expect(conflicts.slice(0, 6).map(({ level }) => level)).toEqual(["debug", "debug", "debug", "debug", "warn", "warn"])
  })

  test("a server cannot put a key off for a day", async () => {
    const busy = () => {
      throw tooManyRequests("slow down", 86_400)
    }
    const { seconds, running } = await secondsOf({ observe: busy }, "11m")
    await using _running = running
    expect(seconds).toEqual([0, 300, 600])
  })

  test.each([
    { code: 500, message: "etcdserver: request is too large" },
    { code: 413, message: "Request entity too large: limit is 3145728" },
  ])("an object that is too large for the server is not written again at once: $code", async ({ code, message }) => {
    const tooLarge = () => {
      throw new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code })
    }
    const { seconds, running } = await secondsOf({ observe: tooLarge }, "11m")
    await using _running = running
    expect(seconds).toEqual([0, 300, 600])
  })

  const mistakes: Record<string, Partial<ControllerSpec<ConfigMap>>> = {
    "observe throws": { observe: () => (undefined as unknown as { x: { y: ConfigMap } }).x.y },
    "observe rejects": { observe: () => Promise.reject(new TypeError("observe")) },
    "decide throws": {
      decide: () => {
        throw new TypeError("decide")
      },
    },
    "settle throws": {
      settle: () => {
        throw new TypeError("settle")
      },
    },
    "decide gives nothing": { decide: () => undefined as unknown as Plan },
    "decide asks for a time that is none": { decide: () => plan().requeueAfter("soon" as Duration, "test") },
    "decide requeues after an infinite delay": { decide: () => plan().requeueAfter(Number.POSITIVE_INFINITY, "test") },
  }
  test.each(Object.entries(mistakes))("a retry when %s; other controllers do not notice", async (_, spec) => {
    const other = controller("other", { for: configMaps, observe: (key, read) => read.get(configMaps, key), decide: () => plan() })
    await using running = await testManager([configMapController(spec), other])
    await running.server.apply(configMap("a"))
    await running.server.advance("5ms")
    const looks = running.manager.trace.entries().filter(({ key }) => key === "default/a")
    expect(looks.filter((entry) => entry.controller === "looker").map(({ error }) => typeof error)).toEqual(["string", "string"])
    expect(looks.filter((entry) => entry.controller === "other").map(({ error }) => error)).toEqual([undefined])
  })

  test("a retry when it did not end within its time limit", async () => {
    const { seconds, running } = await secondsOf({ reconcileTimeout: 2000, observe: () => new Promise(() => {}) }, "5s")
    await using _running = running
    expect(seconds.map((second) => Math.round(second * 1000))).toEqual([0, 2005])
    expect(running.manager.trace.entries().at(-1)?.error).toContain("did not end within 2000 ms")
  })

  test("a reconcile may take five minutes by default", async () => {
    const { seconds, running } = await secondsOf({ observe: () => new Promise(() => {}) }, "301s")
    await using _running = running
    expect(seconds).toEqual([0])
    expect(running.manager.trace.entries().find(({ key }) => key === "default/a")?.error).toContain("did not end within 300000 ms")
  })
})

test("a limiter that returns NaN loses neither the key nor the controller", async () => {
  const fail = () => {
    throw new Error("test")
  }
  const backoff = () => ({ delay: () => Number.NaN, forget() {}, failures: () => 0 })
  const other = controller("other", { for: configMaps, observe: (key, read) => read.get(configMaps, key), decide: () => plan() })
  await using running = await testManager([configMapController({ backoff, decide: fail }), other])
  const looks = (name: string, key: string) =>
    running.manager.trace.entries().filter((entry) => entry.controller === name && entry.key === key).length
  await running.server.apply(configMap("a"))
  await running.server.advance("2500ms")
  await running.server.apply(configMap("b"))
  await running.server.settled()
  expect([looks("looker", "default/a"), looks("other", "default/a"), looks("other", "default/b")]).toEqual([3, 1, 1])
})

describe("a dry run", () => {
  const results = [{ operation: { do: "turn-on", to: "it", reason: "it should be" }, ok: true }] as const

  test("delays the requeue of a dry run, which would repeat hundreds of times a second", () => {
    expect(followUp({ results, requeueAfter: 1 }, true)).toEqual({ do: "requeue-after", after: 60_000 })
    expect(followUp({ results, requeueAfter: 120_000 }, true)).toEqual({ do: "requeue-after", after: 120_000 })
    expect(followUp({ results, requeueAfter: 1 })).toEqual({ do: "requeue-after", after: 1 })
  })

  test("with nothing to do looks when the plan asks for it", () => {
    expect(followUp({ results: [], requeueAfter: 1_000 }, true)).toEqual({ do: "requeue-after", after: 1_000 })
  })
})
