import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Bench, Row } from "../bench.ts"
import { atMost, type Numbers, withoutGoal } from "../beside.ts"
import type { Measured } from "./client-node/measured.ts"

const [pods, events, rounds] = [10_000, 5000, 7]
const programs = ["ours", "theirs", "bare"] as const
const names = ["sync", "heap", "events", "parse"] as const

type Scheme = "http" | "https"
type Program = (typeof programs)[number]
type Best = Record<Program, Record<(typeof names)[number], number>>

/**
 * What does a cache of pods cost beside the informer of @kubernetes/client-node, over real HTTP? Server and clients are processes of their own,
 * so that none pays for another; the same bytes are sent to both. The least of several rounds, taken in turn.
 * Without TLS both speak HTTP/1.1; with it ours speaks HTTP/2, and theirs knows only HTTP/1.1.
 */
export const bench: Bench = {
  name: "a cache of 10,000 pods over HTTP, beside @kubernetes/client-node",
  async run({ peers }): Promise<readonly Row[]> {
    if (peers) return [...rowsOf(await measured("http", programs)), ...secureRowsOf(await measured("https", programs))]
    return [...ownRowsOf("HTTP", await measured("http", ["ours"])), ...ownRowsOf("HTTPS", await measured("https", ["ours"]))]
  },
}

async function measured(scheme: Scheme, wanted: readonly Program[]): Promise<Best> {
  const server = start("server", [scheme, String(pods), String(events)])
  try {
    const [port] = await once(server.stdout!, "data")
    return measureAll(`${scheme}://127.0.0.1:${String(port).trim()}`, wanted)
  } finally {
    server.disconnect()
  }
}

const sync = "first sync of 10,000 pods over"
const told = "watch events to a handler over"

function rowsOf({ ours, theirs, bare }: Best): readonly Row[] {
  const what = `${sync} HTTP`
  return [
    atMost(0.5, `${what}; theirs: client-node`, "ms of CPU", { ours: ours.sync, theirs: theirs.sync }),
    atMost(1.6, `${what}; theirs: JSON.parse alone`, "ms of CPU", { ours: ours.sync, theirs: bare.parse }),
    withoutGoal(`${what}; theirs: fetch and JSON.parse alone`, "ms of CPU", { ours: ours.sync, theirs: bare.sync }),
    withoutGoal("heap per cached pod over HTTP; theirs: client-node", "KiB", { ours: ours.heap, theirs: theirs.heap }),
    eventsRow("HTTP", ours, theirs),
  ]
}

function secureRowsOf({ ours, theirs, bare }: Best): readonly Row[] {
  const what = `${sync} HTTPS`
  return [
    withoutGoal(`${what}; theirs: client-node`, "ms of CPU", { ours: ours.sync, theirs: theirs.sync }),
    withoutGoal(`${what}; theirs: fetch and JSON.parse alone`, "ms of CPU", { ours: ours.sync, theirs: bare.sync }),
    eventsRow("HTTPS", ours, theirs),
  ]
}

/** Without peers. */
function ownRowsOf(over: string, { ours }: Best): readonly Row[] {
  return [
    withoutGoal(`${sync} ${over}`, "ms of CPU", { ours: ours.sync }),
    withoutGoal(`heap per cached pod over ${over}`, "KiB", { ours: ours.heap }),
    withoutGoal(`${told} ${over}`, "events per CPU-second", { ours: (events / ours.events) * 1000 }),
  ]
}

function eventsRow(over: string, ours: Best["ours"], theirs: Best["theirs"]): Row {
  const perSecond: Numbers = { ours: (events / ours.events) * 1000, theirs: (events / theirs.events) * 1000 }
  return withoutGoal(`${told} ${over}; theirs: client-node`, "events per CPU-second", perSecond)
}

function measureAll(server: string, wanted: readonly Program[]): Best {
  const none = {
    sync: Number.POSITIVE_INFINITY,
    heap: Number.POSITIVE_INFINITY,
    events: Number.POSITIVE_INFINITY,
    parse: Number.POSITIVE_INFINITY,
  }
  const best: Best = { ours: { ...none }, theirs: { ...none }, bare: { ...none } }
  for (let round = 0; round < rounds; round++) {
    for (const program of wanted) {
      const measured: Partial<Measured> = JSON.parse(run(program, [server, String(pods), String(events)]))
      const before = best[program]
      for (const name of names) before[name] = Math.min(before[name], measured[name] ?? Number.POSITIVE_INFINITY)
    }
  }
  return best
}

function fileOf(program: string): string {
  return join(import.meta.dirname, "client-node", `${program}.ts`)
}

function run(program: string, args: readonly string[]): string {
  // The certificate is made for the run, and no known authority signed it.
  const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" }
  return execFileSync(process.execPath, [...process.execArgv, fileOf(program), ...args], { env, encoding: "utf8", timeout: 120_000 })
}

function start(program: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, fileOf(program), ...args], { stdio: ["ignore", "pipe", "inherit", "ipc"] })
}
