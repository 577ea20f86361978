import { forbidden, notFound, type Status, StatusError } from "@pilothouse/api"
import { type Event, events } from "@pilothouse/api/core/v1"
import {
  memoryMetrics,
  PilothouseError,
  recordingLog,
  seededRandom,
  type Transport,
  type TransportRequest,
  VirtualClock,
  valueBody,
} from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { type Client, createClient } from "../client/client.ts"
import type { PlannedEvent } from "../controller/plan/plan.ts"
import { EventRecorder } from "./event-recorder.ts"

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default", uid: "u1", resourceVersion: "7" } }
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "u2" } }

function planned(message: string, about: PlannedEvent["about"] = pod): PlannedEvent {
  return { about, type: "Normal", reason: "Pulled", message }
}

/** A recorder on an API server; `layer` stands between them. */
async function recording(layer: (inner: Transport) => Transport = (inner) => inner) {
  const server = await cluster({ nodes: 0, controllers: [] })
  const clock = server.clock as VirtualClock
  const requests: TransportRequest[] = []
  const transport = layer((request) => {
    requests.push(request)
    return server.transport(request)
  })
  const { log, lines } = recordingLog()
  const metrics = memoryMetrics()
  const recorder = new EventRecorder({ client: createClient(transport), clock, random: seededRandom(3), log, metrics })
  const written = async (): Promise<readonly Event[]> => (await server.list(events)).filter((event) => event.reason === "Pulled")
  return { server, clock, recorder, requests, lines, metrics, written, [Symbol.asyncDispose]: () => server.close() }
}

test("writes an event about an object in its namespace, named after it", async () => {
  await using running = await recording()
  running.recorder.record("kubelet", planned("pulled it"))
  await running.server.settled()
  expect(await running.written()).toMatchObject([
    {
      metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: "default" },
      involvedObject: { apiVersion: "v1", kind: "Pod", name: "web", namespace: "default", uid: "u1", resourceVersion: "7" },
      type: "Normal",
      reason: "Pulled",
      message: "pulled it",
      source: { component: "kubelet" },
      count: 1,
    },
  ])
})

test("the name of an event is no longer than names may be, and ends with its time", async () => {
  await using running = await recording()
  const name = "a".repeat(253)
  running.recorder.record("kubelet", planned("ready", { ...pod, metadata: { ...pod.metadata, name } }))
  await running.server.settled()
  const [event] = await running.written()
  expect(event?.metadata.name).toHaveLength(253)
  expect(event?.metadata.name).toMatch(/^a{236}\.[0-9a-f]{16}$/)
  expect(event?.involvedObject.name).toBe(name)
})

test("events about what has no namespace are in default", async () => {
  await using running = await recording()
  running.recorder.record("kubelet", planned("ready", node))
  await running.server.settled()
  expect(await running.written()).toMatchObject([{ metadata: { namespace: "default" }, involvedObject: { kind: "Node", name: "node-1" } }])
})

test("a repetition patches count and time of the event, even one that was said before the first was written", async () => {
  await using running = await recording()
  running.recorder.record("kubelet", planned("again"))
  running.recorder.record("kubelet", planned("again"))
  await running.server.settled()
  await running.server.advance("1m")
  running.recorder.record("kubelet", planned("again"))
  await running.server.settled()
  expect(running.requests.map(({ verb }) => verb)).toEqual(["POST", "PATCH", "PATCH"])
  const [event, ...more] = await running.written()
  expect(more).toEqual([])
  expect(event).toMatchObject({ count: 3, firstTimestamp: "2026-01-05T09:00:00Z", lastTimestamp: "2026-01-05T09:01:00Z" })
})

test("a repetition of an expired event creates it again, with its count", async () => {
  await using running = await recording()
  running.recorder.record("kubelet", planned("again"))
  await running.server.settled()
  const [event] = await running.written()
  await running.server.client.delete(events, event!)
  running.recorder.record("kubelet", planned("again"))
  await running.server.settled()
  expect(await running.written()).toMatchObject([{ metadata: { name: event?.metadata.name }, count: 2 }])
})

test("combined events are one on the server", async () => {
  await using running = await recording()
  for (let image = 0; image < 14; image++) running.recorder.record("kubelet", planned(`image ${image}`))
  await running.server.settled()
  const written = await running.written()
  expect(written).toHaveLength(10)
  expect(written.filter(({ message }) => message?.startsWith("(combined"))).toMatchObject([
    { message: "(combined from similar events): image 13", count: 5 },
  ])
})

const lost = () => Promise.reject(new PilothouseError("CONNECTION_LOST", "no network"))

test("a lost connection is tried 12 times, 10 s apart but for the first, and what was said meanwhile waits", async () => {
  const times: number[] = []
  await using running = await recording(() => () => {
    times.push(running.clock.elapsed())
    return lost()
  })
  const start = running.clock.elapsed()
  running.recorder.record("kubelet", planned("a"))
  await running.server.advance("10m")
  expect(times).toHaveLength(12)
  const waits = times.slice(1).map((time, at) => time - times[at]!)
  expect(times[0]).toBe(start)
  expect(waits[0]).toBeLessThan(10_000)
  expect(new Set(waits.slice(1))).toEqual(new Set([10_000]))
  expect(running.lines).toMatchObject([{ level: "warn", message: "could not write an event" }])
})

test("an event that could not be written once is written when the network is back", async () => {
  let broken = true
  await using running = await recording((inner) => (request) => (broken ? lost() : inner(request)))
  running.recorder.record("kubelet", planned("a"))
  await running.server.advance("25s")
  broken = false
  await running.server.advance("10s")
  expect(await running.written()).toHaveLength(1)
})

test("an event whose answer was lost is there when it is tried again: it counts as written, and the next one repeats it", async () => {
  let first = true
  await using running = await recording((inner) => async (request) => {
    const response = await inner(request)
    if (!first) return response
    first = false
    return lost()
  })
  running.recorder.record("kubelet", planned("a"))
  await running.server.advance("20s")
  running.recorder.record("kubelet", planned("a"))
  await running.server.settled()
  expect(running.requests.map(({ verb }) => verb)).toEqual(["POST", "POST", "PATCH"])
  expect(await running.written()).toMatchObject([{ count: 2 }])
  expect(running.lines).toEqual([])
})

function refusing(error: StatusError): (inner: Transport) => Transport {
  return () => async () => ({ status: error.statusCode, headers: {}, body: valueBody(error.status) })
}

const terminating: Status = {
  ...forbidden({ group: "", plural: "events" }, "e", "the namespace goes").status,
  details: { causes: [{ reason: "NamespaceTerminating" }] },
}
const refusals: Record<string, { error: StatusError; level: string }> = {
  "is not repeated, and said": { error: forbidden({ group: "", plural: "events" }, "e", "no"), level: "warn" },
  "of a namespace that goes away is not repeated, and not worth a word": { error: new StatusError(terminating), level: "debug" },
}

test.each(Object.entries(refusals))("a refusal %s", async (_, { error, level }) => {
  let calls = 0
  await using running = await recording((inner) => (request) => {
    calls++
    return refusing(error)(inner)(request)
  })
  running.recorder.record("kubelet", planned("a"))
  await running.server.advance("10m")
  expect(calls).toBe(1)
  expect(running.lines.map((line) => line.level)).toEqual([level])
})

test("after a refusal the next one is a new event", async () => {
  let refused = false
  await using running = await recording((inner) => (request) => {
    if (refused) return inner(request)
    refused = true
    return refusing(notFound({ group: "", plural: "namespaces" }, "default"))(inner)(request)
  })
  running.recorder.record("kubelet", planned("a"))
  await running.server.settled()
  running.recorder.record("kubelet", planned("a"))
  await running.server.settled()
  expect(await running.written()).toMatchObject([{ count: 1 }])
})

test("no more than 1000 wait; who says more is not held up", async () => {
  await using running = await recording(() => lost)
  const about = (number: number) => ({ ...pod, metadata: { ...pod.metadata, name: `web-${number}` } })
  // One is being written.
  for (let number = 0; number < 1010; number++) running.recorder.record("kubelet", planned("a", about(number)))
  expect(running.metrics.value("pilothouse_events_dropped_total", { reason: "queue" })).toBe(9)
})

test.each<[what: string, ending: (recorder: EventRecorder, clock: VirtualClock) => Promise<unknown>]>([
  ["series that are over", (_recorder, clock) => clock.advance("13m")],
  ["series that are closed", (recorder, clock) => clock.run(recorder.close())],
])("%s went past the 1000 that may wait", async (_what, ending) => {
  const clock = new VirtualClock()
  const metrics = memoryMetrics()
  let blocked = false
  let tried = 0
  const write = async () => {
    tried++
    if (blocked) await new Promise<void>(() => {})
  }
  const client = { create: write, patch: write } as unknown as Client
  const recorder = new EventRecorder({ client, clock, random: seededRandom(1), log: recordingLog().log, metrics })
  const series = (number: number): PlannedEvent => ({ ...planned("a", { ...pod, metadata: { name: `web-${number}` } }), action: "Pulling" })
  // Said three times, so that each has a count that is not written yet.
  for (let time = 0; time < 3; time++) {
    for (let number = 0; number < 2200; number++) {
      recorder.record("kubelet", series(number))
      if (number % 500 === 0) await clock.settle()
    }
    await clock.settle()
  }
  expect([tried, metrics.value("pilothouse_events_dropped_total", { reason: "queue" }) ?? 0]).toEqual([4400, 0])
  blocked = true
  await ending(recorder, clock)
  expect(metrics.value("pilothouse_events_dropped_total", { reason: "queue" })).toBe(1200)
})

test("what the spam filter drops is counted", async () => {
  await using running = await recording()
  for (let count = 0; count < 30; count++) running.recorder.record("kubelet", planned("a"))
  await running.server.settled()
  expect(running.metrics.value("pilothouse_events_dropped_total", { reason: "spam" })).toBe(5)
  expect(running.requests).toHaveLength(25)
})

test("closing writes what waits, and takes a second at most", async () => {
  await using running = await recording()
  for (let number = 0; number < 20; number++) running.recorder.record("kubelet", planned(`image ${number}`))
  await running.clock.run(running.recorder.close())
  expect((await running.written()).length).toBe(10)
  running.recorder.record("kubelet", planned("too late"))
  await running.server.settled()
  expect((await running.written()).length).toBe(10)
})

test("closing does not wait for a server that never answers", async () => {
  await using running = await recording(() => () => new Promise(() => {}))
  running.recorder.record("kubelet", planned("a"))
  running.recorder.record("kubelet", planned("b"))
  const start = running.clock.elapsed()
  await running.clock.run(running.recorder.close())
  expect(running.clock.elapsed() - start).toBe(1000)
  // Who stops knows that not everything is said any more.
  expect(new Set(running.lines.map(({ level }) => level))).toEqual(new Set(["debug"]))
})

test("an event that is said just as the last one is written is not left lying", async () => {
  for (let ticks = 0; ticks < 12; ticks++) {
    const clock = new VirtualClock()
    const written: (string | undefined)[] = []
    const create = async (_: unknown, event: Event) => written.push(event.message)
    const client = { create } as unknown as Client
    const recorder = new EventRecorder({ client, clock, random: seededRandom(1), log: recordingLog().log })
    recorder.record("kubelet", planned("one"))
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
    recorder.record("kubelet", planned("two"))
    await clock.advance("1m")
    expect(written, `${ticks} ticks later`).toEqual(["one", "two"])
  }
})

test("a log whose methods need their object can say that an event was not written", async () => {
  class Lines {
    readonly #said: string[] = []
    get said(): readonly string[] {
      return this.#said
    }
    debug(message: string): void {
      this.#said.push(message)
    }
    info = this.debug
    warn(message: string): void {
      this.#said.push(message)
    }
    error = this.debug
    with(): this {
      return this
    }
  }
  const log = new Lines()
  const clock = new VirtualClock()
  const client = { create: () => Promise.reject(forbidden({ group: "", plural: "events" }, "web", "no")) } as unknown as Client
  const recorder = new EventRecorder({ client, clock, random: seededRandom(1), log })
  recorder.record("kubelet", planned("one"))
  await clock.settle()
  expect(log.said).toEqual(["could not write an event"])
})
