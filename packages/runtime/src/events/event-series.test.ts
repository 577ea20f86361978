import { type Event, events } from "@pilothouse/api/events/v1"
import { recordingLog, seededRandom, type Transport, type VirtualClock } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { createClient } from "../client/client.ts"
import type { PlannedEvent } from "../controller/plan/plan.ts"
import { EventRecorder } from "./event-recorder.ts"
import { EventSeries } from "./event-series.ts"

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default", uid: "u1" } }
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "u2" } }

function bound(options: Partial<PlannedEvent> = {}): PlannedEvent {
  return { about: pod, related: node, type: "Normal", reason: "Scheduled", message: "assigned to node-1", action: "Binding", ...options }
}

async function recording() {
  const server = await cluster({ nodes: 0, controllers: [] })
  const clock = server.clock as VirtualClock
  const writes: string[] = []
  const transport: Transport = (request) => {
    if (request.verb !== "GET") writes.push(request.verb)
    return server.transport(request)
  }
  const { log, lines } = recordingLog()
  const recorder = new EventRecorder({ client: createClient(transport), clock, random: seededRandom(3), log })
  const written = async (): Promise<readonly Event[]> => (await server.list(events)).filter((event) => event.reason === "Scheduled")
  return { server, clock, recorder, writes, lines, written, [Symbol.asyncDispose]: () => server.close() }
}

describe("an event with an action", () => {
  test("is one of events.k8s.io/v1, with its time in microseconds and what it is related to", async () => {
    await using running = await recording()
    running.recorder.record("default-scheduler", bound())
    await running.server.settled()
    expect(await running.written()).toMatchObject([
      {
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: "default" },
        eventTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        reportingController: "default-scheduler",
        reportingInstance: "default-scheduler",
        action: "Binding",
        regarding: { kind: "Pod", name: "web" },
        related: { kind: "Node", name: "node-1" },
        note: "assigned to node-1",
      },
    ])
    expect((await running.written())[0]?.series).toBeUndefined()
    expect(running.lines).toEqual([])
  })

  test("said again makes a series of 2 at once; more are counted in memory and written after 30 min", async () => {
    await using running = await recording()
    for (let times = 0; times < 2; times++) running.recorder.record("default-scheduler", bound())
    await running.server.settled()
    expect(running.writes).toEqual(["POST", "PATCH"])
    expect((await running.written()).map(({ series }) => series?.count)).toEqual([2])
    for (let minute = 0; minute < 35; minute++) {
      await running.server.advance("1m")
      running.recorder.record("default-scheduler", bound({ message: `another message, ${minute}` }))
      if (minute === 28) expect(running.writes).toEqual(["POST", "PATCH"])
    }
    expect(running.writes).toEqual(["POST", "PATCH", "PATCH"])
    expect((await running.written()).map(({ series }) => series?.count)).toEqual([31])
  })

  test("not said for 6 min ends the series, and its count is written; the next one is new", async () => {
    await using running = await recording()
    for (let times = 0; times < 5; times++) running.recorder.record("default-scheduler", bound())
    await running.server.advance("13m")
    expect((await running.written()).map(({ series }) => series?.count)).toEqual([5])
    running.recorder.record("default-scheduler", bound())
    await running.server.settled()
    expect((await running.written()).map(({ series }) => series?.count).sort()).toEqual([5, undefined])
  })

  test("of another reason, action, type, object, related object or reporter is another event", async () => {
    await using running = await recording()
    running.recorder.record("default-scheduler", bound())
    running.recorder.record("another", bound())
    running.recorder.record("default-scheduler", bound({ action: "Preempting" }))
    running.recorder.record("default-scheduler", bound({ type: "Warning" }))
    running.recorder.record("default-scheduler", bound({ reason: "Preempted" }))
    running.recorder.record("default-scheduler", bound({ about: { ...pod, metadata: { ...pod.metadata, name: "other" } } }))
    running.recorder.record("default-scheduler", bound({ related: undefined }))
    await running.server.settled()
    expect(running.writes).toEqual(Array.from({ length: 7 }, () => "POST"))
  })

  test("of an expired series creates it again, with its count", async () => {
    await using running = await recording()
    running.recorder.record("default-scheduler", bound())
    await running.server.settled()
    const [first] = await running.written()
    await running.server.client.delete(events, first!)
    running.recorder.record("default-scheduler", bound())
    await running.server.settled()
    expect((await running.written()).map(({ series }) => series?.count)).toEqual([2])
  })

  test("closing writes the counts that were kept in memory", async () => {
    await using running = await recording()
    for (let times = 0; times < 7; times++) running.recorder.record("default-scheduler", bound())
    await running.clock.run(running.recorder.close())
    expect((await running.written()).map(({ series }) => series?.count)).toEqual([7])
  })
})

test("the memory is bounded: the oldest series ends where there is no room, and its count is written", () => {
  const series = new EventSeries({ cacheSize: 2 })
  const add = (name: string) =>
    series.add({ ...bound({ about: { ...pod, metadata: { ...pod.metadata, name } } }), component: "c" }, 0, () => `${name}.1`)
  for (const name of ["a", "a", "a", "b"]) add(name)
  const writings = add("c")
  expect(writings.map(({ event, patch }) => [event.metadata.name, patch])).toEqual([
    ["a.1", { series: { count: 3, lastObservedTime: "1970-01-01T00:00:00.000000Z" } }],
    ["c.1", undefined],
  ])
  expect(series.size).toBe(2)
})
