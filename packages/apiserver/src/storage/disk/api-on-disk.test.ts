import { expect, test } from "vitest"
import { objectIn, said, statusIn, testServer } from "../../testing/server.ts"
import type { Disk } from "./disk.ts"
import { directories, diskClock, runs, systemDisk } from "./testing/disk-directory.ts"

const directory = directories()
const path = "/api/v1/namespaces/default/configmaps"
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { n: "0" } })
const event = (name: string) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, namespace: "default" },
  involvedObject: { kind: "Pod", name: "web", namespace: "default" },
})

test("an API server finds the objects of the one before it, and a watch goes on from its resourceVersion", async () => {
  const run = runs(directory())
  const first = testServer("in process", { clock: run.clock, storage: await run.open() })
  const { resourceVersion } = objectIn(await first.post(path, configMap("a")), 201).metadata
  await first.post(path, configMap("b"))
  await first.server.close()
  const second = testServer("in process", { clock: run.clock, storage: await run.open() })
  expect(objectIn(await second.get(path)).items?.map(({ metadata }) => metadata.name)).toEqual(["a", "b"])
  const response = await second.ask("GET", path, { query: { watch: "true", resourceVersion: resourceVersion ?? "", timeoutSeconds: "1" } })
  if (response.body.type !== "stream") throw new Error("expected a stream")
  const frames = response.body.frames[Symbol.asyncIterator]()
  expect(said([(await frames.next()).value?.value])).toEqual(["ADDED b"])
  await frames.return?.()
  await second.server.close()
})

test("writers that change one object at once all succeed, and none of them spins while the disk is at work", async () => {
  const run = runs(directory())
  const server = testServer("in process", { clock: run.clock, storage: await run.open() })
  await server.post(path, configMap("a"))
  const names = Array.from({ length: 20 }, (_, at) => `k${at}`)
  await Promise.all(names.map((name) => server.patch(`${path}/a`, "merge", { data: { [name]: "1" } })))
  expect(Object.keys(objectIn(await server.get(`${path}/a`)).data ?? {})).toEqual(expect.arrayContaining(names))
  await server.server.close()
})

test("an event lives its hour over a restart, not an hour from it", async () => {
  const run = runs(directory())
  const first = testServer("in process", { clock: run.clock, storage: await run.open() })
  objectIn(await first.post("/api/v1/namespaces/default/events", event("early")), 201)
  await run.clock.advance("40m")
  objectIn(await first.post("/api/v1/namespaces/default/events", event("late")), 201)
  await first.server.close()
  const second = testServer("in process", { clock: run.clock, storage: await run.open() })
  const names = async () => objectIn(await second.get("/api/v1/events")).items?.map(({ metadata }) => metadata.name)
  await run.clock.advance("19m")
  expect(await names()).toEqual(["early", "late"])
  await run.clock.advance("2m")
  expect(await names()).toEqual(["late"])
  await run.clock.advance("40m")
  expect(await names()).toEqual([])
  await second.server.close()
})

test.each(["in process", "over TLS"] as const)(
  "a full disk, %s: writes are refused with a Status, reads and watches go on, nothing is lost, and with room it goes on",
  async (way) => {
    const run = runs(directory())
    const state = { full: false }
    const server = testServer(way, { clock: run.clock, storage: await run.open({ disk: diskThat(state) }) })
    const { resourceVersion = "" } = objectIn(await server.post(path, configMap("a")), 201).metadata
    const watch = await server.watch(path, { resourceVersion })
    state.full = true
    for (const refused of [
      await server.post(path, configMap("b")),
      await server.patch(`${path}/a`, "merge", { data: { n: "1" } }),
      await server.delete(`${path}/a`),
    ]) {
      expect(statusIn(refused)).toMatchObject({
        code: 503,
        reason: "ServiceUnavailable",
        message: expect.stringContaining("the disk is full"),
      })
    }
    expect(objectIn(await server.get(path)).items).toMatchObject([{ metadata: { name: "a", resourceVersion }, data: { n: "0" } }])
    state.full = false
    objectIn(await server.patch(`${path}/a`, "merge", { data: { n: "2" } }))
    objectIn(await server.post(path, configMap("b")), 201)
    expect(said(await watch.read())).toEqual(["MODIFIED a", "ADDED b"])
    await server.server.close()
    const again = testServer(way, { clock: run.clock, storage: await run.open() })
    expect(objectIn(await again.get(path)).items).toMatchObject([{ data: { n: "2" } }, { data: { n: "0" } }])
    await again.server.close()
  },
)

/** A disk that has no room while the state says so. */
function diskThat(state: { readonly full: boolean }): Disk {
  return {
    ...systemDisk,
    async openLog(file) {
      const log = await systemDisk.openLog(file)
      const write: typeof log.write = (bytes, position) =>
        state.full
          ? Promise.reject(Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }))
          : log.write(bytes, position)
      return { ...log, write }
    },
  }
}

test.each(["in process", "over TLS"] as const)(
  "a clock that has gone back, %s: revisions rise, watches and pages go on, events keep their hour",
  async (way) => {
    const run = runs(directory())
    const events = "/api/v1/namespaces/default/events"
    const first = testServer(way, { clock: run.clock, storage: await run.open() })
    const { resourceVersion = "" } = objectIn(await first.post(path, configMap("a")), 201).metadata
    await first.post(path, configMap("b"))
    await first.post(events, event("early"))
    const page = objectIn(await first.get(path, { limit: "1" }))
    await first.server.close()
    const clock = diskClock(run.clock.now() - 365 * 24 * 3_600_000)
    const second = testServer(way, { clock, storage: await run.open({ clock }) })
    const made = objectIn(await second.post(path, configMap("c")), 201).metadata
    expect(Number(made.resourceVersion)).toBeGreaterThan(Number(page.metadata.resourceVersion))
    expect(made.creationTimestamp).toBe("2025-01-05T09:00:00Z")
    const watch = await second.watch(path, { resourceVersion })
    expect(said(await watch.read())).toEqual(["ADDED b", "ADDED c"])
    const rest = objectIn(await second.get(path, { limit: "1", continue: continueIn(page) }))
    expect(rest.items?.map(({ metadata }) => metadata.name)).toEqual(["b"])
    expect(objectIn(await second.get(events)).items).toHaveLength(1)
    await clock.advance("61m")
    expect(objectIn(await second.get(events)).items).toEqual([])
    await second.server.close()
  },
)

function continueIn({ metadata }: object & { readonly metadata: object }): string {
  return (metadata as { readonly continue?: string }).continue ?? ""
}

test.each([
  ["ENOSPC", "the disk is full: "],
  ["EIO", "a write to the disk failed: "],
])("a write that the disk refuses with %s is answered without a path of this machine", async (code, reason) => {
  const run = runs(directory())
  const state = { failing: false }
  const disk: Disk = {
    ...systemDisk,
    async openLog(file) {
      const opened = await systemDisk.openLog(file)
      const fault = () => Object.assign(new Error(`${code}: no luck, write '${file}'`), { code })
      return { ...opened, write: async (...args) => (state.failing ? Promise.reject(fault()) : opened.write(...args)) }
    },
  }
  const { server, post } = testServer("in process", { clock: run.clock, storage: await run.open({ disk }) })
  objectIn(await post(path, configMap("a")), 201)
  state.failing = true
  const { message, code: answered } = statusIn(await post(path, configMap("b")))
  expect(answered).toBe(503)
  expect(message).toMatch(new RegExp(`^${reason}`))
  expect(message).not.toMatch(/\/|log-/)
  state.failing = false
  await server.close()
})
