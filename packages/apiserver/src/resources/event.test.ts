import { expect, test } from "vitest"
import { everyWay, objectIn, said, statusIn } from "../test-server.ts"

const events = "/api/v1/namespaces/default/events"
const newer = "/apis/events.k8s.io/v1/namespaces/default/events"
const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: "Pod", name: "p", namespace: "default" },
  reason: "R",
  message: "m",
  count: 1,
})

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
        eventTime: "2026-01-05T09:00:00.000000Z",
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
})
