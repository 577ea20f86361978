import { expect, test } from "vitest"
import { EventCorrelator } from "./correlator.ts"
import type { SourcedEvent } from "./sourced-event.ts"

const minute = 60_000

function said(message: string, more: Partial<SourcedEvent> = {}): SourcedEvent {
  const about = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default", uid: "u1" } }
  return { component: "kubelet", about, type: "Normal", reason: "Pulled", message, ...more }
}

function names(): () => string {
  let count = 0
  return () => `web.${++count}`
}

test("what is said for the first time is new", () => {
  expect(new EventCorrelator().correlate(said("a"), 5, names())).toEqual({
    event: said("a"),
    key: expect.any(String),
    name: "web.1",
    count: 1,
    first: 5,
    last: 5,
  })
})

test("what is said again is counted, under the name and the first time it had", () => {
  const correlator = new EventCorrelator()
  const name = names()
  correlator.correlate(said("a"), 0, name)
  expect(correlator.correlate(said("a"), 7, name)).toMatchObject({ name: "web.1", count: 2, first: 0, last: 7 })
  expect(correlator.correlate(said("a"), 9, name)).toMatchObject({ name: "web.1", count: 3, first: 0, last: 9 })
})

const others: Record<string, Partial<SourcedEvent>> = {
  "another message": { message: "b" },
  "another reason": { reason: "Started" },
  "another type": { type: "Warning" },
  "another source": { component: "scheduler" },
  "another object": { about: { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default", uid: "u2" } } },
}

test.each(Object.entries(others))("%s is another event", (_, more) => {
  const correlator = new EventCorrelator()
  correlator.correlate(said("a"), 0, names())
  expect(correlator.correlate(said("a", more), 0, names())).toMatchObject({ count: 1 })
})

test("from the tenth different message on there is one event for all of them", () => {
  const correlator = new EventCorrelator()
  const name = names()
  const messages = Array.from({ length: 12 }, (_, at) => correlator.correlate(said(`image ${at}`), at * minute, name))
  expect(messages.slice(0, 9).map((one) => one?.event.message)).toEqual(Array.from({ length: 9 }, (_, at) => `image ${at}`))
  expect(messages.slice(9)).toMatchObject([
    { event: { message: "(combined from similar events): image 9" }, name: "web.10", count: 1 },
    { event: { message: "(combined from similar events): image 10" }, name: "web.10", count: 2 },
    { event: { message: "(combined from similar events): image 11" }, name: "web.10", count: 3 },
  ])
})

test("ten minutes of silence end the counting of different messages", () => {
  const correlator = new EventCorrelator()
  for (let at = 0; at < 9; at++) correlator.correlate(said(`image ${at}`), 0, names())
  expect(correlator.correlate(said("image 9"), 10 * minute + 1, names())?.event.message).toBe("image 9")
})

test("exactly ten minutes do not", () => {
  const correlator = new EventCorrelator()
  for (let at = 0; at < 9; at++) correlator.correlate(said(`image ${at}`), 0, names())
  expect(correlator.correlate(said("image 9"), 10 * minute, names())?.event.message).toBe("(combined from similar events): image 9")
})

test("after 25 events of one object the filter closes, and lets one pass every five minutes", () => {
  const correlator = new EventCorrelator()
  const pass = (now: number) => correlator.correlate(said("a"), now, names()) !== undefined
  expect(Array.from({ length: 30 }, () => pass(0)).filter(Boolean)).toHaveLength(25)
  expect(pass(5 * minute - 1)).toBe(false)
  expect(pass(5 * minute)).toBe(true)
  expect(pass(5 * minute)).toBe(false)
  expect(pass(10 * minute)).toBe(true)
})

test("the filter never saves up more than 25", () => {
  const correlator = new EventCorrelator()
  const pass = (now: number) => correlator.correlate(said("a"), now, names()) !== undefined
  pass(0)
  expect(Array.from({ length: 40 }, () => pass(1000 * minute)).filter(Boolean)).toHaveLength(25)
})

test("a wall clock that goes back costs nothing", () => {
  const correlator = new EventCorrelator()
  const pass = (now: number) => correlator.correlate(said("a"), now, names()) !== undefined
  pass(100 * minute)
  expect(pass(0)).toBe(true)
})

test("what the filter dropped is in the count of the next that passes", () => {
  const correlator = new EventCorrelator()
  for (let count = 0; count < 30; count++) correlator.correlate(said("a"), 0, names())
  expect(correlator.correlate(said("a"), 5 * minute, names())?.count).toBe(31)
})

test("a source that talks much leaves the budget of others alone", () => {
  const correlator = new EventCorrelator()
  for (let count = 0; count < 30; count++) correlator.correlate(said("a"), 0, names())
  expect(correlator.correlate(said("a", { component: "scheduler" }), 0, names())).toBeDefined()
})

test("remembers 4096 events; the one that was longest not said is forgotten first", () => {
  const correlator = new EventCorrelator()
  const of = (number: number) =>
    said("a", { about: { apiVersion: "v1", kind: "Pod", metadata: { name: `web-${number}`, namespace: "default" } } })
  for (let number = 0; number < 4096; number++) correlator.correlate(of(number), 0, names())
  correlator.correlate(of(0), 0, names())
  correlator.correlate(of(4096), 0, names())
  expect(correlator.correlate(of(1), 0, names())?.count).toBe(1)
  expect(correlator.correlate(of(0), 0, names())?.count).toBe(3)
})
