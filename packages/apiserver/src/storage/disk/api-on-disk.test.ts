import { expect, test } from "vitest"
import { objectIn, said, statusIn, testServer } from "../../test-server.ts"
import type { Disk } from "./disk.ts"
import { systemDisk } from "./system-disk.ts"
import { directories, runs } from "./test-directory.ts"

const directory = directories()
const path = "/api/v1/namespaces/default/configmaps"
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { n: "0" } })
const event = (name: string) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, namespace: "default" },
  involvedObject: { kind: "Pod", name: "web", namespace: "default" },
})

test("an API server finds what the one before it was told, and a watch goes on from its resourceVersion", async () => {
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

test("writers that change one object at once are all heard, and none of them spins while the disk is at work", async () => {
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

test("on a full disk writes are answered with a Status that says so, and reads go on", async () => {
  const run = runs(directory())
  const state = { full: false }
  const disk: Disk = {
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
  const server = testServer("in process", { clock: run.clock, storage: await run.open({ disk }) })
  objectIn(await server.post(path, configMap("a")), 201)
  state.full = true
  const refused = await server.post(path, configMap("b"))
  expect(statusIn(refused)).toMatchObject({ code: 503, reason: "ServiceUnavailable", message: expect.stringContaining("the disk is full") })
  expect(statusIn(await server.delete(`${path}/a`))).toMatchObject({ code: 503 })
  expect(objectIn(await server.get(path)).items).toHaveLength(1)
  await server.server.close()
})
