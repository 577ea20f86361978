import { runInNewContext } from "node:vm"
import { type KubeObject, keyOf } from "@pilothouse/api"
import { replicaSets } from "@pilothouse/api/apps/v1"
import { type ConfigMap, configMaps, type Pod, pods, secrets } from "@pilothouse/api/core/v1"
import { type Gauge, type MetricOptions, memoryMetrics, PilothouseError, scriptedTransport } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import type { Change } from "../cache/store.ts"
import { testManager } from "../manager/test-manager.ts"
import { type Controller, type ControllerSpec, controller, follower, watch } from "./controller.ts"
import type { Plan } from "./plan.ts"
import { plan } from "./plan-builder.ts"
import { RetryAfterError } from "./retry-after.ts"

function configMap(name: string, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data }
}

/** Looks at ConfigMaps of the namespace default and does what it is told. */
function looker(spec: Partial<ControllerSpec<ConfigMap>> = {}): Controller {
  return controller<ConfigMap>("looker", {
    for: configMaps,
    observe: (key, read) => read.get(configMaps, key),
    decide: () => plan().nothing("it is only a test"),
    ...spec,
  })
}

/** What the server has of its own is not of interest. */
function about(looks: readonly string[]): readonly string[] {
  return looks.filter((look) => look.startsWith("default/") && !look.startsWith("default/kube-root-ca"))
}

describe("what wakes a key", () => {
  test("a change of the object itself", async () => {
    await using running = await testManager([looker()])
    await running.server.apply(configMap("a"))
    await running.server.settled()
    await running.server.apply(configMap("a", { x: "1" }))
    await running.server.settled()
    await running.server.client.delete(configMaps, "default/a")
    await running.server.settled()
    expect(about(running.looks())).toEqual(["default/a: ConfigMap added", "default/a: ConfigMap updated", "default/a: ConfigMap deleted"])
  })

  test("a change of what it controls, and not of what another kind of that name controls", async () => {
    const owner = (kind: string, apiVersion: string, name: string) => [{ apiVersion, kind, name, uid: `${name}-uid`, controller: true }]
    const pod = (name: string, ownerReferences: Pod["metadata"]["ownerReferences"]): Pod => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", ownerReferences },
      spec: { containers: [{ name: "c", image: "i" }] },
    })
    const sets = controller("sets", { for: replicaSets, owns: [pods], observe: () => undefined, decide: () => plan() })
    await using running = await testManager([sets])
    await running.server.apply(pod("mine", owner("ReplicaSet", "apps/v1", "web")))
    await running.server.apply(pod("old", owner("ReplicaSet", "apps/v1beta2", "db")))
    await running.server.apply(pod("other", owner("ReplicaSet", "example.com/v1", "web")))
    await running.server.apply(pod("nobodys", []))
    await running.server.settled()
    expect([...new Set(running.looks())].filter((look) => look.endsWith("added"))).toEqual([
      "default/web: Pod mine added",
      "default/db: Pod old added",
    ])
  })

  test("what its mapping says of a change, of the object before and after", async () => {
    const named = (object: KubeObject) => (object.metadata.labels?.for === undefined ? [] : [`default/${object.metadata.labels.for}`])
    const secret = (value: string) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default", labels: { for: value } },
    })
    await using running = await testManager([looker({ watches: [watch(secrets, "its secret changed", named)] })])
    await running.server.apply(secret("a"))
    await running.server.settled()
    await running.server.apply(secret("b"))
    await running.server.settled()
    expect(about(running.looks())).toEqual([
      "default/a: its secret changed",
      "default/a: its secret changed",
      "default/b: its secret changed",
    ])
  })

  test("a mapping that throws is told of, and costs only what it could not map", async () => {
    const map = (object: KubeObject) => {
      if (object.metadata.labels?.broken) throw new Error("broken mapping")
      return ["default/a"]
    }
    const secret = (labels: Record<string, string>) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default", labels },
    })
    await using running = await testManager([looker({ watches: [watch(secrets, "its secret changed", map)] })])
    await running.server.apply(secret({}))
    await running.server.settled()
    await running.server.apply(secret({ broken: "yes" }))
    await running.server.settled()
    expect(about(running.looks())).toHaveLength(2)
    expect(running.lines).toContainEqual(
      expect.objectContaining({ level: "error", fields: expect.objectContaining({ error: "broken mapping" }) }),
    )
  })

  test("what is there at the start is looked at, behind live changes", async () => {
    await using first = await testManager([])
    await first.server.apply(configMap("a"))
    await using second = await testManager([looker()], { server: first.server })
    expect(about(second.looks())).toEqual(["default/a: ConfigMap added"])
  })

  test("several causes while it waits are one look with all of them", async () => {
    const slow = looker({
      concurrency: 1,
      observe: async (key, read) => {
        if (keyOf({ metadata: { name: "slow", namespace: "default" } }) === key) await read.live(configMaps, key)
        return read.get(configMaps, key)
      },
    })
    const layer: NonNullable<Parameters<typeof testManager>[1]>["layer"] = (inner, clock) =>
      scriptedTransport(inner, ({ path }) => (path.endsWith("/slow") ? { do: "delay", milliseconds: 1000 } : { do: "pass" }), clock)
    await using running = await testManager([slow], { layer })
    await running.server.apply(configMap("slow"))
    await running.server.settled()
    await running.server.apply(configMap("a"))
    await running.server.apply(configMap("a", { x: "1" }))
    await running.server.advance("1s")
    expect(about(running.looks())).toEqual(["default/slow: ConfigMap added", "default/a: ConfigMap added, ConfigMap updated"])
  })
})

describe("how many at once", () => {
  /** Each look takes a second; notes how many looks are open. */
  async function openLooks(
    concurrency: number,
    write: (apply: (object: ConfigMap) => Promise<unknown>) => Promise<void>,
  ): Promise<{ all: number; ofOneKey: number; looks: number }> {
    const open = new Map<string, number>()
    const most = { all: 0, ofOneKey: 0, looks: 0 }
    const slow = looker({
      concurrency,
      async observe(key, read) {
        if (!key.startsWith("default/c")) return undefined
        most.looks++
        open.set(key, (open.get(key) ?? 0) + 1)
        most.all = Math.max(
          most.all,
          [...open.values()].reduce((sum, count) => sum + count, 0),
        )
        most.ofOneKey = Math.max(most.ofOneKey, open.get(key) ?? 0)
        await running.clock.sleep(1000)
        open.set(key, (open.get(key) ?? 0) - 1)
        return read.get(configMaps, key)
      },
    })
    const running = await testManager([slow])
    await using _running = running
    await write((object) => running.server.apply(object))
    await running.server.advance("1m")
    return most
  }

  test("different keys up to the controller's limit", async () => {
    const many = async (apply: (object: ConfigMap) => Promise<unknown>) => {
      for (let count = 0; count < 8; count++) await apply(configMap(`c${count}`))
    }
    expect(await openLooks(3, many)).toEqual({ all: 3, ofOneKey: 1, looks: 8 })
  })

  test("one key never twice, and a change meanwhile is looked at afterwards", async () => {
    const often = async (apply: (object: ConfigMap) => Promise<unknown>) => {
      for (let count = 0; count < 5; count++) await apply(configMap("c", { count: `${count}` }))
    }
    const { ofOneKey, looks } = await openLooks(5, often)
    expect({ ofOneKey, looks }).toEqual({ ofOneKey: 1, looks: 1 + 1 })
  })
})

describe("what comes after a look", () => {
  /** Runs a controller for a while on one ConfigMap, and tells at which second it looked at it. */
  async function secondsOf(
    spec: Partial<ControllerSpec<ConfigMap>>,
    during: string,
  ): Promise<{ seconds: readonly number[]; running: Awaited<ReturnType<typeof testManager>> }> {
    const running = await testManager([looker(spec)])
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
      looker({
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
    const { seconds, running } = await secondsOf({ decide: () => plan().lookAgain("10m", "it may be night") }, "31m")
    await using _running = running
    expect(seconds).toEqual([0, 600, 1200, 1800])
  })

  test("a retry after 5 ms, 10 ms, 20 ms … when it failed", async () => {
    const { seconds, running } = await secondsOf({ decide: () => plan().update(configMap("none"), "test") }, "100ms")
    await using _running = running
    expect(seconds.map((second) => Math.round(second * 1000))).toEqual([0, 5, 15, 35, 75])
  })

  test("a retry no later than the plan asked for, however long the limiter would wait", async () => {
    const decide = () => plan().update(configMap("none"), "test").lookAgain("10s", "it is a beat")
    const { seconds, running } = await secondsOf({ decide }, "10m")
    await using _running = running
    const gaps = seconds.slice(1).map((second, index) => second - seconds[index]!)
    expect(Math.max(...gaps)).toBeCloseTo(10)
    expect(Math.round(gaps[0]! * 1000)).toBe(5)
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
    expect(running.looks().filter((look) => look.startsWith("default/a:"))).toHaveLength(2)
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
    "decide asks for a time that is none": { decide: () => plan().lookAgain("soon", "test") },
    "decide asks for a look in the infinite": { decide: () => plan().lookAgain(Number.POSITIVE_INFINITY, "test") },
  }
  test.each(Object.entries(mistakes))("a retry when %s; other controllers do not notice", async (_, spec) => {
    const other = controller("other", { for: configMaps, observe: (key, read) => read.get(configMaps, key), decide: () => plan() })
    await using running = await testManager([looker(spec), other])
    await running.server.apply(configMap("a"))
    await running.server.advance("5ms")
    const looks = running.manager.trace.entries().filter(({ key }) => key === "default/a")
    expect(looks.filter((entry) => entry.controller === "looker").map(({ error }) => typeof error)).toEqual(["string", "string"])
    expect(looks.filter((entry) => entry.controller === "other").map(({ error }) => error)).toEqual([undefined])
  })

  test("a retry when it did not end within its time limit", async () => {
    const { seconds, running } = await secondsOf({ timeLimit: 2000, observe: () => new Promise(() => {}) }, "5s")
    await using _running = running
    expect(seconds.map((second) => Math.round(second * 1000))).toEqual([0, 2005])
    expect(running.manager.trace.entries().at(-1)?.error).toContain("did not end within 2000 ms")
  })
})

test("a limiter that says NaN costs neither the key nor any loop", async () => {
  const fail = () => {
    throw new Error("test")
  }
  const backoff = () => ({ delay: () => Number.NaN, forget() {}, failures: () => 0 })
  const other = controller("other", { for: configMaps, observe: (key, read) => read.get(configMaps, key), decide: () => plan() })
  await using running = await testManager([looker({ backoff, decide: fail }), other])
  const looks = (name: string, key: string) =>
    running.manager.trace.entries().filter((entry) => entry.controller === name && entry.key === key).length
  await running.server.apply(configMap("a"))
  await running.server.advance("2500ms")
  await running.server.apply(configMap("b"))
  await running.server.settled()
  expect([looks("looker", "default/a"), looks("other", "default/a"), looks("other", "default/b")]).toEqual([3, 1, 1])
})

test("the trace tells what woke it, what it read, what it decided and what became of it", async () => {
  const copier = looker({
    decide: (found) =>
      found.data?.done ? plan().nothing("it is done") : plan().patch(found, { data: { done: "yes" } }, "it was not done"),
  })
  await using running = await testManager([copier])
  await running.server.apply(configMap("a"))
  await running.server.settled()
  const [first, second] = running.manager.trace.entries().filter(({ key }) => key === "default/a")
  expect(first).toMatchObject({
    controller: "looker",
    causes: ["ConfigMap added"],
    observed: [expect.stringMatching(/^ConfigMap default\/a@\d+$/)],
  })
  expect(first?.results).toMatchObject([{ ok: true, operation: { do: "patch", because: "it was not done" } }])
  expect(second).toMatchObject({ causes: ["ConfigMap updated"], results: [], plan: { summary: "it is done" } })
})

test("events of a plan are said only when its operations have succeeded", async () => {
  const teller = looker({ decide: (found) => plan().update(configMap("none"), "test").event(found, "Normal", "Updated", "it was updated") })
  await using running = await testManager([teller])
  await running.server.apply(configMap("a"))
  await running.server.advance("10s")
  const { events } = await import("@pilothouse/api/core/v1")
  expect(await running.server.list(events)).toEqual([])
})

test("reading a kind that was not declared says what to do", async () => {
  await using running = await testManager([looker({ observe: (key, read) => read.get(secrets, key) as unknown as ConfigMap })])
  await running.server.apply(configMap("a"))
  await running.server.settled()
  expect(running.manager.trace.entries().at(-1)?.error).toBe(
    "the controller looker reads secrets but does not declare it; add it to its owns, watches or reads",
  )
})

test("a concurrency of 0 is refused where it is written", () => {
  expect(() => looker({ concurrency: 0 })).toThrow("expected a whole number above 0 as the concurrency of the controller looker, found 0")
})

test("a place that fails ends its siblings: when that is told, nothing is under way any more", async () => {
  const inner = memoryMetrics()
  const metrics = {
    ...inner,
    gauge: (options: MetricOptions) => {
      const gauge = inner.gauge(options)
      const broken = options.name === "controller_runtime_active_workers"
      const set: Gauge["set"] = (value, labels) => {
        if (broken && armed && value === 2) throw new Error("the gauge is broken")
        gauge.set(value, labels)
      }
      return { ...gauge, set }
    },
  }
  let [armed, ended] = [false, false]
  const slow = looker({
    concurrency: 2,
    async observe(key) {
      if (key !== "default/slow") return undefined
      await clock.sleep(5000)
      ended = true
      return undefined
    },
  })
  const running = await testManager([slow], { metrics })
  const { clock } = running
  await running.server.apply(configMap("slow"))
  await running.server.settled()
  armed = true
  await running.server.apply(configMap("other"))
  await running.server.advance("6s")
  await expect(running.stop()).rejects.toThrow("the gauge is broken")
  expect(ended).toBe(true)
  await running.server.close()
})

describe("which key goes first", () => {
  test("the one of the highest priority, of those that were there at the start too", async () => {
    const seen: string[] = []
    const urgent = looker({
      concurrency: 1,
      priority: (key, read) => Number(read.get(configMaps, key)?.data?.priority ?? -1),
      observe: (key, read) => {
        seen.push(key)
        return read.get(configMaps, key)
      },
    })
    await using server = await cluster({ nodes: 0, controllers: [] })
    for (const [name, priority] of [
      ["low", "1"],
      ["high", "9"],
      ["mid", "5"],
    ] as const)
      await server.apply(configMap(name, { priority }))
    await using _running = await testManager([urgent], { server })
    await server.settled()
    expect(about(seen)).toEqual(["default/high", "default/mid", "default/low"])
  })
})

describe("state that follows a cache", () => {
  test("is told to begin anew, then what is there, then each change before a key is woken by it", async () => {
    const told: string[] = []
    const state = {
      restart: () => void told.push("restart"),
      changed: ({ type, object }: Change<ConfigMap>) => void told.push(`${type} ${object.metadata.namespace}/${object.metadata.name}`),
    }
    const following = looker({
      followers: [follower(configMaps, state)],
      when: (change) => {
        told.push(`woken ${change.object.metadata.namespace}/${change.object.metadata.name}`)
        return true
      },
    })
    await using running = await testManager([following])
    await running.server.settled()
    await running.server.apply(configMap("a"))
    await running.server.settled()
    expect(told[0]).toBe("restart")
    expect(told.filter((line) => line.includes("default/a"))).toEqual(["added default/a", "woken default/a"])
  })
})
