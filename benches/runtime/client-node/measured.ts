import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** What one client took, in a process of its own. */
export interface Measured {
  /** Milliseconds of CPU until every pod was received. */
  readonly sync: number
  /** KiB of heap that each pod takes from then on. */
  readonly heap: number
  /** Milliseconds of CPU until every event was received. */
  readonly events: number
  /** Milliseconds of CPU for JSON.parse alone, where nothing else is done. */
  readonly parse?: number
}

export interface Watching {
  /** Of `added` and of `changed` handlers. */
  told(): { readonly added: number; readonly changed: number }
  stop(): Promise<void> | void
}

/** Everything that has to be loaded is, and nothing was asked of the server. */
export type Prepare = (server: string) => Promise<() => Promise<Watching>>

/** Runs a client against the server and writes what it took to standard output. */
export async function measure(prepare: Prepare): Promise<void> {
  const [server = "", pods, events] = process.argv.slice(2)
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  const start = await prepare(server)
  // Nothing watches yet, so nothing comes of it but that fetch is loaded for both.
  await fetch(`${server}/go`)
  const before = await settledHeap(collect)
  const syncing = process.cpuUsage()
  const watching = await start()
  await until(() => watching.told().added === Number(pods))
  const sync = cpuSince(syncing)
  const heap = ((await settledHeap(collect)) - before) / Number(pods) / 1024
  const changing = process.cpuUsage()
  await fetch(`${server}/go`)
  await until(() => watching.told().changed === Number(events))
  const measured: Measured = { sync, heap, events: cpuSince(changing) }
  await watching.stop()
  console.log(JSON.stringify(measured))
  process.exit()
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** One collection is not enough: what a finished promise or a closed stream held is freed a turn later. */
async function settledHeap(collect: () => void): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return process.memoryUsage().heapUsed
}
