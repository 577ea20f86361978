import type { Query, TransportResponse } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { Disk } from "../storage/disk/disk.ts"
import { directories, runs, systemDisk } from "../storage/disk/testing/disk-directory.ts"
import { everyWay, statusIn, testServer } from "../testing/server.ts"

const directory = directories()

function textIn({ status, body }: TransportResponse): string {
  if (body.type !== "bytes") throw new Error("expected text")
  return `${status} ${new TextDecoder().decode(body.bytes)}`
}

const lines = (storage: string) => `[+]ping ok\n[+]log ok\n${storage}\n[+]poststarthook/start-service-ip-repair-controllers ok\n`

everyWay("health", (testServer) => {
  test.each<[string, Query, string]>([
    ["/readyz", {}, "200 ok"],
    ["/readyz/", {}, "404 404 page not found\n"],
    ["/readyz/etcd", {}, "200 ok"],
    ["/livez/poststarthook/start-service-ip-repair-controllers", {}, "200 ok"],
    ["/readyz/nothing", {}, "404 404 page not found\n"],
    ["/readyz", { verbose: "" }, `200 ${lines("[+]etcd ok")}readyz check passed\n`],
    ["/livez", { verbose: "1", exclude: "etcd" }, `200 ${lines("[+]etcd excluded: ok")}livez check passed\n`],
  ])("%s %j", async (path, query, text) => {
    expect(textIn(await testServer().get(path, query))).toBe(text)
  })

  test("what cannot be left out is named", async () => {
    const text = textIn(await testServer().get("/readyz", { verbose: "", exclude: ["etcd", "b", "a"] }))
    expect(text).toContain("[+]etcd excluded: ok\n")
    expect(text).toContain('warn: some health checks cannot be excluded: no matches for "a","b"\nreadyz check passed\n')
  })
})

interface Failing {
  code?: string
  /** That failed. */
  tries: number
}

/** A disk that fails with a code while the state has one. */
function failing(state: Failing): Disk {
  const fault = () => {
    state.tries++
    return Object.assign(new Error(`${state.code}: it fails`), { code: state.code })
  }
  return {
    ...systemDisk,
    writeWhole: (path, parts) => (state.code === undefined ? systemDisk.writeWhole(path, parts) : Promise.reject(fault())),
    async openLog(path) {
      const file = await systemDisk.openLog(path)
      return { ...file, write: (...given) => (state.code === undefined ? file.write(...given) : Promise.reject(fault())) }
    },
  }
}

async function onFailingDisk(way: "in process" | "over TLS") {
  const state: Failing = { tries: 0 }
  const run = runs(directory())
  const api = testServer(way, { clock: run.clock, storage: await run.open({ disk: failing(state) }) })
  const write = (name: string) => api.post("/api/v1/namespaces/default/configmaps", { metadata: { name } })
  const ask = async (path: string, query?: Query) => textIn(await api.get(path, query))
  expect((await write("a")).status).toBe(201)
  return { api, state, run, write, ask, said: () => run.lines.map(({ level, message }) => `${level} ${message}`) }
}

describe.each(["in process", "over TLS"] as const)("the health of a storage that refuses writes, %s", (way) => {
  test("with a full disk a server is alive and not ready, until there is room, without a write", async () => {
    const { api, state, write, ask } = await onFailingDisk(way)
    state.code = "ENOSPC"
    expect(await ask("/readyz")).toBe("200 ok")
    expect(statusIn(await write("b")).code).toBe(503)
    for (const root of ["readyz", "healthz"]) {
      expect(await ask(`/${root}`)).toBe(`500 ${lines("[-]etcd failed: reason withheld")}${root} check failed\n`)
      expect(await ask(`/${root}`, { verbose: "" })).toContain("[-]etcd failed: reason withheld\n")
      expect(await ask(`/${root}/etcd`)).toBe("500 internal server error: the disk is full\n")
      expect(await ask(`/${root}/ping`)).toBe("200 ok")
      expect(await ask(`/${root}`, { exclude: "etcd" })).toBe("200 ok")
    }
    const tried = state.tries
    expect([await ask("/livez"), await ask("/livez/etcd")]).toEqual(["200 ok", "200 ok"])
    // Who asks only whether it lives has nothing written.
    expect(state.tries).toBe(tried)
    state.code = undefined
    expect(await ask("/readyz", { verbose: "" })).toContain("[+]etcd ok\n")
    expect((await write("c")).status).toBe(201)
    await api.server.close()
  })

  test("after a failure that lasts it is not alive either: a restart is what helps", async () => {
    const { api, state, write, ask } = await onFailingDisk(way)
    state.code = "EIO"
    expect(statusIn(await write("b")).code).toBe(503)
    state.code = undefined
    for (const root of ["readyz", "healthz", "livez"]) {
      expect(await ask(`/${root}`)).toMatch(/^500 [^]*\[-\]etcd failed: reason withheld\n/)
      expect(await ask(`/${root}/etcd`)).toBe("500 internal server error: a write to the disk failed\n")
    }
    await api.server.close()
  })
})

test("a full disk is logged once when it begins and once when it ends, however many writes it refuses", async () => {
  const { api, state, run, write, ask, said } = await onFailingDisk("in process")
  for (let round = 0; round < 2; round++) {
    state.code = "ENOSPC"
    for (const name of ["b", "c", "d"]) expect(statusIn(await write(name)).code).toBe(503)
    for (let time = 0; time < 3; time++) expect(await ask("/readyz/etcd")).toContain("500")
    state.code = undefined
    expect((await write(`e${round}`)).status).toBe(201)
  }
  const once = [expect.stringMatching(/^error the disk is full .*; make room$/), "warn there is room on the disk again: writes are taken"]
  expect(said()).toEqual([...once, ...once])
  const kept = async (from: typeof api) => (await from.get("/api/v1/namespaces/default/configmaps")).body
  const before = await kept(api)
  await api.server.close()
  const again = testServer("in process", { clock: run.clock, storage: await run.open() })
  expect(await kept(again)).toMatchObject({ value: { items: (before as { value: { items: unknown } }).value.items } })
  await again.server.close()
})
