// npm run bench -- storage: what does a durable write cost, and a start?
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { KubeObject } from "@pilothouse/api"
import { createApiServer, diskStorage, type Storage } from "@pilothouse/apiserver"
import { type Transport, valueBody } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { Bench, Row } from "./bench.ts"
import { withoutGoal } from "./beside.ts"
import { SqliteLog } from "./storage/sqlite.ts"
import { syncTime } from "./storage/sync-time.ts"

const clients = [1, 4, 16]
/** Milliseconds that each number is measured for. The machine's disk is not alone: the best of three runs is kept. */
const time = 1500
const runs = 3

export const questions: readonly Bench[] = [
  {
    name: "how many durable writes, beside SQLite in a worker",
    run: ({ peers }) => inDirectory((directory) => besideSqlite(directory, peers)),
  },
  { name: "how many durable ConfigMap creates in process", run: () => inDirectory(creates) },
  { name: "how long a start takes", run: () => inDirectory(starts) },
]

async function besideSqlite(directory: string, peers: boolean): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const count of clients) {
    const ours = await best(async (run) => {
      const storage = await diskStorage({ directory: join(directory, `log-${count}-${run}`), clock: systemClock })
      return perSecond(count, (n) => put(storage, n)).finally(() => storage.close())
    })
    const theirs = peers
      ? await best(async (run) => {
          const sqlite = new SqliteLog(join(directory, `${count}-${run}.db`))
          return perSecond(count, (n) => sqlite.write(`/registry/configmaps/default/c-${n}`, configMap(n))).finally(() => sqlite.close())
        })
      : undefined
    rows.push(withoutGoal(`durable writes, ${count} writers (theirs: node:sqlite)`, "/s", { ours, theirs }))
  }
  return rows
}

async function creates(directory: string): Promise<readonly Row[]> {
  const sync = await syncTime(join(directory, "sync"))
  const rows: Row[] = [{ what: "one synced write of 1 KB (median)", ours: sync, unit: "ms", better: "neither" }]
  for (const count of clients) {
    const ours = await best(async (run) => {
      const storage = await diskStorage({ directory: join(directory, `api-${count}-${run}`), clock: systemClock })
      const server = createApiServer({ clock: systemClock, random: systemRandom(), storage })
      return perSecond(count, (n) => create(server.transport(), n)).finally(() => server.close())
    })
    const goal = (0.7 * count * 1000) / (sync + 0.15 * count)
    rows.push({ what: `durable ConfigMap creates, ${count} clients`, ours, unit: "/s", goal: `≥ ${Math.round(goal)}`, met: ours >= goal })
  }
  return rows
}

async function starts(directory: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const from of ["log", "snapshot"]) {
    const options = { directory: join(directory, from), clock: systemClock }
    const storage = await diskStorage(options)
    for (let n = 0; n < 10_000; n += 100) await Promise.all(Array.from({ length: 100 }, (_, at) => put(storage, n + at, 4000)))
    if (from === "snapshot") await storage.compact(storage.revision)
    await storage.close()
    const ours = await best(async () => {
      const started = performance.now()
      const again = await diskStorage(options)
      const took = performance.now() - started
      await again.close()
      return -took
    })
    rows.push({ what: `start with 10,000 objects of 4.2 KB, from the ${from}`, ours: -ours, unit: "ms" })
  }
  return rows
}

function configMap(n: number, size = 600): KubeObject & { readonly data: Readonly<Record<string, string>> } {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c-${n}`, namespace: "default" }, data: { text: "x".repeat(size) } }
}

async function put(storage: Storage, n: number, size?: number): Promise<void> {
  await storage.commit([{ key: `/registry/configmaps/default/c-${n}`, expected: 0, make: () => configMap(n, size) }])
}

async function create(transport: Transport, n: number): Promise<void> {
  const path = "/api/v1/namespaces/default/configmaps"
  const { status } = await transport({ verb: "POST", path, query: {}, headers: {}, body: valueBody(configMap(n)) })
  if (status !== 201) throw new Error(`expected 201, found ${status}`)
}

async function perSecond(writers: number, work: (n: number) => Promise<void>): Promise<number> {
  const started = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (performance.now() - started < time) await work(count++)
    }),
  )
  return (count * 1000) / (performance.now() - started)
}

async function best(measure: (run: number) => Promise<number>): Promise<number> {
  const numbers: number[] = []
  for (let run = 0; run < runs; run++) numbers.push(await measure(run))
  return Math.max(...numbers)
}

async function inDirectory(measure: (directory: string) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const directory = await mkdtemp(join(tmpdir(), "pilothouse-bench-"))
  return measure(directory).finally(() => rm(directory, { recursive: true, force: true }))
}
