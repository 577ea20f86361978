import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"

/** Those that follow every kind there is, by its metadata. */
const ofAllKinds = ["-garbage-collector", "-resourcequota"]

/** Kinds with an object for each of many others, which controllers read when they have work and do not hold meanwhile. */
const readOnDemand = ["networking.k8s.io/v1/ipaddresses", "v1/events", "events.k8s.io/v1/events"]

test("an idle manager caches each kind once, and none that it reads on demand", async () => {
  const watched: string[] = []
  await using running = await cluster({
    nodes: 0,
    controllers: ["*", ...ofAllKinds],
    layer: (inner) => (request) => {
      if (request.verb === "GET" && request.query.watch !== undefined) watched.push(request.path.replace(/^\/apis?\//, ""))
      return inner(request)
    },
  })
  await running.settled()
  expect(watched).toContain("storage.k8s.io/v1/volumeattachments")
  expect(watched.toSorted()).toEqual([...new Set(watched)].toSorted())
  expect(watched.filter((kind) => readOnDemand.includes(kind))).toEqual([])
})
