import { expect, test } from "vitest"
import { everyWay, objectIn, said, statusIn } from "../testing/server.ts"

const events = "/api/v1/namespaces/default/events"
const newer = "/apis/events.k8s.io/v1/namespaces/default/events"
const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: "Pod", name: "p", namespace: "default" },
  reason: "R",
  message: "m",
  count: 1,
})
const newEvent = {
  eventTime: "2026-01-05T09:00:00.000000Z",
  type: "Normal",
  reason: "R",
  action: "A",
  reportingController: "a.b/c",
  reportingInstance: "i",
  regarding: { kind: "Pod", name: "p", namespace: "default" },
}

everyWay("events", (testServer) => {
  test("events are one store with two forms", async () => {
    const api = testServer()
    const made = objectIn(await api.post(events, event("a")), 201)
    const seen = objectIn(await api.get(`${newer}/a`))
    expect(seen).toMatchObject({ apiVersion: "events.k8s.io/v1", note: "m", regarding: { name: "p" }, deprecatedCount: 1 })
    expect(seen.metadata).toEqual(made.metadata)
    objectIn(
      await api.post(newer, {
        metadata: { name: "b" },
        ...newEvent,
        note: "n",
        regarding: { name: "q", namespace: "default" },
      }),
      201,
    )
    expect(objectIn(await api.get(`${events}/b`))).toMatchObject({ apiVersion: "v1", message: "n", involvedObject: { name: "q" } })
    expect(objectIn(await api.get(events, { fieldSelector: "involvedObject.name=q" })).items).toHaveLength(1)
    expect(objectIn(await api.get(newer, { fieldSelector: "regarding.name=p" })).items).toHaveLength(1)
  })

  test("an event goes an hour after its last write, and watchers see it", async () => {
    const api = testServer()
    await api.post(events, event("a"))
    await api.post(events, event("b"))
    await api.clock.advance("30m")
    objectIn(await api.patch(`${events}/b`, "merge", { count: 2 }))
    const watch = await api.watch(events, { resourceVersion: objectIn(await api.get(events)).metadata.resourceVersion! })
    await api.clock.advance("30m")
    expect(said(await watch.read())).toEqual(["DELETED a"])
    await api.clock.advance("30m")
    expect(objectIn(await api.get(events)).items).toEqual([])
  })

  test("an event is said where its object is", async () => {
    const status = statusIn(await testServer().post(events, { ...event("a"), involvedObject: { name: "p", namespace: "other" } }))
    expect(status.message).toContain('involvedObject.namespace: Invalid value: "other": does not match event.namespace')
  })

  test("unset fields of an event are there in the older form, and not in the newer (seen)", async () => {
    const api = testServer()
    expect(objectIn(await api.post(events, event("a")), 201)).toMatchObject({ source: {}, reportingComponent: "", reportingInstance: "" })
    const seen = objectIn(await api.get(`${newer}/a`))
    expect(seen).toMatchObject({ deprecatedSource: {} })
    expect(seen).not.toHaveProperty("reportingController")
    expect(seen).not.toHaveProperty("reportingInstance")
  })

  test.each([
    ["nothing", { eventTime: undefined, type: undefined }, ["eventTime: Required value", 'type: Invalid value: "": has invalid value: ']],
    ["a type of its own", { type: "Odd" }, ['type: Invalid value: "": has invalid value: Odd']],
    ["no action", { action: undefined }, ["action: Required value"]],
    ["no reason", { reason: "" }, ["reason: Required value"]],
    ["no instance", { reportingInstance: undefined }, ["reportingInstance: Required value"]],
    ["a long action", { action: "a".repeat(129) }, ['action: Invalid value: "": can have at most 128 characters']],
    ["a long note", { note: "ü".repeat(513) }, ['message: Invalid value: "": can have at most 1024 characters']],
    ["a series of one", { series: { count: 1 } }, ["series.count", "series.lastObservedTime: Required value"]],
    [
      "what the older form says",
      { deprecatedCount: 2, deprecatedSource: { host: "h" } },
      ["count: Invalid value", "source: Invalid value"],
    ],
  ])("the newer form refuses %s (seen)", async (_what, part, causes) => {
    const status = statusIn(await testServer().post(newer, { metadata: { name: "a" }, ...newEvent, ...part }))
    expect(status).toMatchObject({ code: 422, details: { kind: "Event" } })
    expect(status.message).toMatch(/^Event "a" is invalid: /)
    for (const cause of causes) expect(status.message).toContain(cause)
    expect(status.details?.causes).toHaveLength(causes.length)
  })

  test("in the newer form an event only goes on (seen)", async () => {
    const api = testServer()
    objectIn(await api.post(newer, { metadata: { name: "a" }, ...newEvent }), 201)
    const series = { count: 2, lastObservedTime: "2026-01-05T09:00:01.000000Z" }
    expect(objectIn(await api.patch(`${newer}/a`, "merge", { series }))).toMatchObject({ series })
    const { message } = statusIn(await api.patch(`${newer}/a`, "merge", { type: "Warning", regarding: { name: "q" } }))
    expect(message).toContain('type: Invalid value: "Warning": field is immutable')
    expect(message).toContain('involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"q"')
    expect(objectIn(await api.patch(`${events}/a`, "merge", { type: "Warning" }))).toMatchObject({ type: "Warning" })
  })
})
