import type { ConfigMap } from "@pilothouse/api/core/v1"
import { configMaps } from "@pilothouse/api/core/v1"
import { memoryMetrics, PilothouseError, recordingLog, seededRandom } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { executor } from "../controller/plan/executor.ts"
import type { CustomOperation } from "../controller/plan/plan.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { lateWatches, testManager } from "../manager/testing/manager.ts"
import { eventHandler } from "./event-handler.ts"
import { type PipelineOptions, pipeline } from "./pipeline.ts"

interface Tell extends CustomOperation {
  readonly do: "tell-it"
  readonly what: string
}

/** Records the events it receives, unless it is blocked. */
function teller(name: string, told: string[], act: (what: string) => Promise<void> | void = () => {}) {
  const say = (word: string, object: ConfigMap) => {
    const what = `${word} ${valueOf(object)}`
    // The server has some of its own.
    if (object.metadata.namespace !== "default") return plan().nothing("not ours")
    return plan().operation({ do: "tell-it", to: what, reason: "a test listens", what } as Tell)
  }
  return eventHandler<ConfigMap>({
    name,
    of: configMaps,
    executors: [
      executor<Tell>("tell-it", async ({ what }) => {
        await act(what)
        told.push(what)
      }),
    ],
    onAdded: ({ object }) => say("added", object),
    onModified: ({ object }) => say("modified", object),
    onPresent: ({ object }) => say("present", object),
    onDeleted: ({ object }) => say("deleted", object),
  })
}

function valueOf({ metadata, data }: ConfigMap): string {
  return `${metadata.name}=${data?.value}`
}

function map(name: string, value: string): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { value } }
}

async function running(
  handlers: PipelineOptions["handlers"],
  options: Partial<PipelineOptions> = {},
  layer?: Parameters<typeof testManager>[1],
) {
  const server = await cluster({ nodes: 0, controllers: [] })
  const made = pipeline({ handlers, clock: server.clock, random: seededRandom(3), ...options })
  const manager = await testManager(made.controllers, { server, ...layer })
  const stop = async () => {
    await manager.stop()
    await server.close()
  }
  const put = async (name: string, value: string) => {
    await server.apply(map(name, value))
    await server.settled()
  }
  const remove = async (name: string) => {
    await server.client.delete(configMaps, `default/${name}`)
    await server.settled()
  }
  return { server, made, manager, put, remove, [Symbol.asyncDispose]: stop }
}

/** Blocks callers until opened. */
function gate() {
  const waiting: (() => void)[] = []
  let open = false
  return {
    pass: () => (open ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
    open() {
      open = true
      for (const go of waiting.splice(0)) go()
    },
  }
}

test("an added object is delivered as added and present, a changed one as modified and present, a deleted one as deleted", async () => {
  const told: string[] = []
  await using run = await running([teller("one", told)])
  await run.put("a", "1")
  await run.put("a", "2")
  await run.remove("a")
  expect(told).toEqual(["added a=1", "present a=1", "modified a=2", "present a=2", "deleted a=2"])
})

test("a burst while a handler is busy comes to the newest state", async () => {
  const told: string[] = []
  const door = gate()
  await using run = await running([teller("one", told, () => door.pass())])
  for (const value of ["1", "2", "3", "4"]) await run.put("a", value)
  door.open()
  await run.server.settled()
  expect(told).toEqual(["added a=1", "present a=1", "modified a=4", "present a=4"])
})

test("deleted and created again while the handler is busy: both are delivered, in that order", async () => {
  const told: string[] = []
  const door = gate()
  await using run = await running([teller("one", told, () => door.pass())])
  await run.put("a", "1")
  await run.remove("a")
  await run.put("a", "2")
  await run.remove("a")
  await run.put("a", "3")
  door.open()
  await run.server.settled()
  expect(told.filter((line) => !line.startsWith("present"))).toEqual(["added a=1", "deleted a=1", "deleted a=2", "added a=3"])
})

test("different objects are handled concurrently: one that waits does not delay others", async () => {
  const told: string[] = []
  const door = gate()
  await using run = await running([teller("one", told, (what) => (what.includes(" a=") ? door.pass() : undefined))])
  await run.put("a", "1")
  await run.put("b", "1")
  expect(told).toEqual(["added b=1", "present b=1"])
})

test("a failing handler is tried again after 3 s, then by lot; the other handlers do not notice", async () => {
  const [told, others]: [string[], string[]] = [[], []]
  let failures = 0
  const failing = teller("failing", told, () => {
    if (failures++ < 2) throw new PilothouseError("CLOUD", "not now")
  })
  await using run = await running([failing, teller("other", others)])
  await run.put("a", "1")
  expect([told, others]).toEqual([[], ["added a=1", "present a=1"]])
  await run.server.advance("3s")
  expect(failures).toBe(2)
  await run.server.advance("9s")
  expect(told).toEqual(["added a=1", "present a=1"])
})

test("the first try again can come sooner than the others", async () => {
  const told: string[] = []
  let tries = 0
  const failing = teller("failing", told, () => {
    if (++tries < 3) throw new PilothouseError("CLOUD", "not now")
  })
  await using run = await running([failing], { retry: { first: "1s" } })
  await run.put("a", "1")
  await run.server.advance("1s")
  expect(tries).toBe(2)
  await run.server.advance("2s")
  expect(tries).toBe(2)
  await run.server.advance("7s")
  expect(told).toEqual(["added a=1", "present a=1"])
})

test("every kind of failure but a terminal one is tried again, a mistake in a program too", async () => {
  for (const error of [new Error("a bug"), new PilothouseError("INVALID", "bad"), new PilothouseError("STATUS", "refused")]) {
    const told: string[] = []
    const failures = [error]
    await using run = await running([
      teller("one", told, () => {
        const failure = failures.pop()
        if (failure !== undefined) throw failure
      }),
    ])
    await run.put("a", "1")
    await run.server.advance("4s")
    expect(told, error.message).toEqual(["added a=1", "present a=1"])
  }
})

test("after the deadline the event is reported and kept, shown in health and metrics, and tried again at the next event", async () => {
  const told: string[] = []
  const metrics = memoryMetrics()
  let broken = true
  const failing = teller("one", told, () => {
    if (broken) throw new PilothouseError("CLOUD", "away")
  })
  await using run = await running([failing], { metrics })
  await run.put("a", "1")
  await run.server.advance("179s")
  expect(run.made.failed()).toEqual([])
  await run.server.advance("2s")
  expect(run.made.failed()).toMatchObject([{ handler: "one", key: "default/a", event: "added", error: "away" }])
  expect(run.made.checks()).toEqual([{ name: "one", ok: true, reason: "1 failed, default/a among them: away" }])
  expect(metrics.text()).toContain('pipeline_failed_objects{handler="one"} 1')
  broken = false
  await run.put("a", "2")
  expect(told).toEqual(["added a=2", "present a=2"])
  expect(run.made.failed()).toEqual([])
  expect(metrics.text()).toContain('pipeline_failed_objects{handler="one"} 0')
})

test("failed events are retried at every resync, and a present object is delivered as present then", async () => {
  const told: string[] = []
  let broken = true
  const failing = teller("one", told, (what) => {
    if (broken && what.includes(" a=")) throw new PilothouseError("TERMINAL", "never")
  })
  await using run = await running([failing])
  await run.put("a", "1")
  await run.put("b", "1")
  expect(run.made.failed()).toMatchObject([{ key: "default/a" }])
  told.length = 0
  broken = false
  await run.server.advance("10m")
  expect(told.sort()).toEqual(["added a=1", "present a=1", "present b=1"])
})

test("a terminal failure is reported at once and not tried again", async () => {
  const told: string[] = []
  let tries = 0
  const failing = teller("one", told, () => {
    tries++
    throw new PilothouseError("TERMINAL", "never")
  })
  await using run = await running([failing])
  await run.put("a", "1")
  expect(run.made.failed()).toMatchObject([{ key: "default/a", error: "never" }])
  await run.server.advance("9m")
  expect(tries).toBe(1)
})

test("a deletion that fails for too long no longer holds up the next object of that name, and is not forgotten", async () => {
  const told: string[] = []
  let broken = true
  const failing = teller("one", told, (what) => {
    if (broken && what.startsWith("deleted")) throw new PilothouseError("CLOUD", "away")
  })
  await using run = await running([failing])
  await run.put("a", "1")
  await run.remove("a")
  await run.put("a", "2")
  expect(told).toEqual(["added a=1", "present a=1"])
  await run.server.advance("181s")
  expect(told).toEqual(["added a=1", "present a=1", "added a=2", "present a=2"])
  expect(run.made.failed()).toMatchObject([{ event: "deleted" }])
  broken = false
  await run.put("a", "3")
  expect(told.slice(4)).toEqual(["modified a=3", "present a=3", "deleted a=1"])
  expect(run.made.failed()).toEqual([])
})

test("states older than the handler's own last write are skipped", async () => {
  const values: string[] = []
  const writer = eventHandler<ConfigMap>({
    name: "writer",
    of: configMaps,
    onPresent: ({ object }) => {
      if (object.metadata.namespace !== "default") return plan().nothing("not ours")
      values.push(`${object.metadata.name}=${object.data?.value}`)
      if (object.data?.value === "mine") return plan().nothing("written")
      return plan().patch(object, { data: { value: "mine" } }, "it is not mine yet")
    },
  })
  await using run = await running([writer], {}, { layer: lateWatches(2000) })
  await run.put("a", "1")
  await run.server.advance("1s")
  await run.put("b", "x")
  await run.server.advance("30s")
  expect(values).toEqual(["a=1", "b=x", "a=mine", "b=mine"])
})

test("a change that the predicate excludes does not bring the retry forward, and is seen by it", async () => {
  const told: string[] = []
  const times: number[] = []
  const handler = teller("one", told, () => {
    times.push(run.server.clock.elapsed())
    if (times.length < 3) throw new Error("not yet")
  })
  const when = ({ object }: { readonly object: { readonly data?: { readonly value?: string } } }) => object.data?.value !== "note"
  await using run = await running([{ ...handler, predicate: when } as typeof handler])
  await run.put("a", "1")
  await run.put("a", "note")
  expect(times).toHaveLength(1)
  await run.server.advance("1m")
  // The third try had the newest state; its type is still added.
  expect(told).toEqual(["added a=note", "present a=note"])
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(3000)
  await run.put("a", "2")
  await run.remove("a")
  expect(told.slice(2)).toEqual(["modified a=2", "present a=2", "deleted a=2"])
})

test("a full lane holds the watch until there is room, and loses nothing", async () => {
  const told: string[] = []
  const door = gate()
  await using run = await running([teller("one", told, () => door.pass())], { depth: 2 })
  for (const value of ["1", "2", "3", "4", "5"]) {
    await run.put("a", value)
    await run.remove("a")
  }
  door.open()
  await run.server.settled()
  expect(told.filter((line) => line.startsWith("deleted"))).toEqual(["1", "2", "3", "4", "5"].map((value) => `deleted a=${value}`))
})

test("deletions that were given up filled their lane and held the watch for ever", async () => {
  const told: string[] = []
  const failing = teller("one", told, (what) => {
    if (what.startsWith("deleted a=")) throw new PilothouseError("TERMINAL", "never")
  })
  await using run = await running([failing], { depth: 2 })
  for (const value of ["1", "2"]) {
    await run.put("a", value)
    await run.remove("a")
  }
  expect(run.made.failed()).toHaveLength(2)
  await run.put("b", "1")
  expect(told.slice(-2)).toEqual(["added b=1", "present b=1"])
})

test("failed deletions of one name grew without bounds; now the oldest is dropped, counted and told", async () => {
  const metrics = memoryMetrics()
  const { log, lines } = recordingLog()
  const failing = teller("one", [], (what) => {
    if (what.startsWith("deleted")) throw new PilothouseError("TERMINAL", "never")
  })
  await using run = await running([failing], { depth: 2, metrics, log })
  for (const value of ["1", "2", "3"]) {
    await run.put("a", value)
    await run.remove("a")
  }
  expect(run.made.failed()).toHaveLength(2)
  expect(metrics.value("pipeline_dropped_deletions_total", { handler: "one" })).toBe(1)
  expect(lines.filter(({ level, message }) => level === "error" && message.startsWith("too many deletions"))).toHaveLength(1)
})

test("a full lane held back the handler's own write, which the handler waited for before it emptied the lane", async () => {
  const told: string[] = []
  const writer = eventHandler<ConfigMap>({
    name: "writer",
    of: configMaps,
    onAdded: ({ object }) => {
      if (object.metadata.name !== "a") return plan().nothing("not ours")
      return plan().create(map(`of-${object.data?.value}`, "x"), "each has one of its own")
    },
    onDeleted: ({ object }) => {
      told.push(valueOf(object))
      return plan().nothing("told")
    },
  })
  await using run = await running([writer], { depth: 1 }, { layer: lateWatches(2000) })
  for (const value of ["1", "2", "3"]) {
    await run.put("a", value)
    await run.server.advance("2s")
    await run.remove("a")
  }
  await run.server.advance("30s")
  expect(told).toEqual(["a=1", "a=2", "a=3"])
})

test("lanes go when there is nothing left to tell", async () => {
  const metrics = memoryMetrics()
  await using run = await running([teller("one", [])], { metrics })
  for (const name of ["a", "b", "c"]) await run.put(name, "1")
  expect(metrics.text()).toContain('pipeline_lanes{handler="one"} 0')
})

test("initial objects are delivered as added, and again after a restart", async () => {
  const told: string[] = []
  const server = await cluster({ nodes: 0, controllers: [] })
  await server.apply(map("a", "1"))
  for (let start = 0; start < 2; start++) {
    const made = pipeline({ handlers: [teller("one", told)], clock: server.clock, random: seededRandom(3) })
    const manager = await testManager(made.controllers, { server })
    await manager.stop()
  }
  expect(told).toEqual(["added a=1", "present a=1", "added a=1", "present a=1"])
  await server.close()
})
