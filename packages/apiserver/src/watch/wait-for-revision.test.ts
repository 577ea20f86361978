import { expect, test } from "vitest"
import { memoryStorage } from "../storage/memory.ts"
import { countedWatches } from "../storage/testing/watches.ts"
import { objectIn, statusIn, testServer } from "../testing/server.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const future = { resourceVersion: "99999", resourceVersionMatch: "NotOlderThan" }

/** A server that has started, and what its own watches are: what is open beyond them is a reader's. */
async function started() {
  const watches = countedWatches(memoryStorage())
  const api = testServer("in process", { storage: watches.storage })
  // Admission follows its configurations from the first write on.
  objectIn(await api.post("/api/v1/namespaces/default/secrets", { metadata: { name: "first" } }), 201)
  const now = Number(objectIn(await api.get(configMaps)).metadata.resourceVersion)
  const own = watches.open()
  return { api, now, leaked: () => watches.open() - own }
}

test("a reader that has left before its wait for a future revision leaves no timer and no watch behind", async () => {
  const { api, leaked } = await started()
  const response = await api.ask("GET", configMaps, { query: future, signal: AbortSignal.abort() })
  expect(statusIn(response).code).toBe(504)
  expect([api.clock.waiting(), leaked()]).toEqual([[], 0])
  await api.clock.advance("4s")
})

test("a reader that leaves while it waits leaves no timer and no watch behind", async () => {
  const { api, leaked } = await started()
  const abort = new AbortController()
  const answer = api.ask("GET", configMaps, { query: future, signal: abort.signal })
  await api.clock.settle()
  expect(leaked()).toBe(1)
  abort.abort()
  expect(statusIn(await answer).code).toBe(504)
  expect([api.clock.waiting(), leaked()]).toEqual([[], 0])
})

test("a read of a future revision is answered when the store gets there, and refused after three seconds", async () => {
  const { api, now, leaked } = await started()
  const soon = api.get(configMaps, { ...future, resourceVersion: String(now + 1) })
  const never = api.get(configMaps, future)
  await api.post(configMaps, { metadata: { name: "a" } })
  expect(objectIn(await soon).items).toHaveLength(1)
  await api.clock.advance("3s")
  expect(statusIn(await never).code).toBe(504)
  expect([api.clock.waiting(), leaked()]).toEqual([[], 0])
})
