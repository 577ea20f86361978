// npm run bench -- loopback: how much does the loopback balancer let through, beside HAProxy?
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Bench, BenchOptions, Row } from "./bench.ts"
import { atMost, type Numbers, withoutGoal } from "./beside.ts"
import { type Side, type Through, throughput } from "./loopback/throughput.ts"

const cases = [
  { connections: 1, depth: 16, maxRatio: 1.25 },
  { connections: 1000, depth: 1, maxRatio: 2 },
] as const
/** Milliseconds of each measurement; the two sides take turns, and the middle of the ratios counts: the machine is not alone. */
const time = 1500
const rounds = 5
const theirPort = 18_501

export const questions: readonly Bench[] = [{ name: "how much the loopback balancer lets through, beside HAProxy", run }]

async function run({ peers }: BenchOptions): Promise<readonly Row[]> {
  if (peers && !hasHaproxy()) throw new Error("expected HAProxy beside us, found none: apt-get install haproxy")
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-bench-"))
  const started: ChildProcess[] = []
  try {
    const endpoint = Number(await firstLine(start(started, import.meta.resolve("./loopback/endpoint.ts"))))
    const ours = start(started, import.meta.resolve("./loopback/ours.ts"), String(endpoint))
    const [ourHost = "", ourPort = ""] = (await firstLine(ours)).split(" ")
    const theirSide = peers ? await startHaproxy(started, configuration(folder, endpoint)) : undefined
    const ourSide = { host: ourHost, port: Number(ourPort), pid: ours.pid ?? 0 }
    const rows: Row[] = []
    for (const { connections, depth, maxRatio } of cases) {
      const load = { connections, depth, milliseconds: time }
      const pairs: Pair[] = []
      for (let round = 0; round < rounds; round++)
        pairs.push({ ours: await throughput(ourSide, load), theirs: theirSide && (await throughput(theirSide, load)) })
      rows.push(...rowsOf(connections, maxRatio, pairs))
    }
    return rows
  } finally {
    for (const child of started) child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Pair {
  readonly ours: Through
  readonly theirs?: Through
}

function rowsOf(connections: number, maxRatio: number, pairs: readonly Pair[]): readonly Row[] {
  const how = `${connections} connection${connections === 1 ? "" : "s"} (theirs: HAProxy)`
  const { ours, theirs } = middle(pairs, "rate")
  return [
    atMost(maxRatio, `through the balancer, ${how}`, "MB/s", { ours: ours / 1e6, theirs: theirs && theirs / 1e6 }),
    withoutGoal(`CPU of the balancer, ${how}`, "s/GB", middle(pairs, "cpu")),
  ]
}

/** The round whose ratio stands in the middle, or whose own figure does where there is no peer. */
function middle(pairs: readonly Pair[], what: keyof Through): Numbers {
  const sides = pairs.map(({ ours, theirs }) => ({ ours: ours[what], theirs: theirs?.[what] }))
  const order = ({ ours, theirs = 1 }: Numbers) => ours / theirs
  return sides.toSorted((one, other) => order(one) - order(other))[Math.floor(sides.length / 2)]!
}

async function startHaproxy(started: ChildProcess[], file: string): Promise<Side> {
  const child = spawn("haproxy", ["-f", file, "-db"], { stdio: "ignore" })
  started.push(child)
  await untilOpen(theirPort)
  return { host: "127.0.0.1", port: theirPort, pid: child.pid ?? 0 }
}

function hasHaproxy(): boolean {
  try {
    execFileSync("haproxy", ["-v"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** One thread, as ours has; everything else as it comes. */
function configuration(folder: string, endpoint: number): string {
  const file = join(folder, "haproxy.cfg")
  const lines = [
    "global",
    "  nbthread 1",
    "  maxconn 4000",
    "defaults",
    "  mode tcp",
    "  timeout connect 5s",
    "  timeout client 1m",
    "  timeout server 1m",
    "listen bench",
    `  bind 127.0.0.1:${theirPort}`,
    `  server endpoint 127.0.0.1:${endpoint}`,
  ]
  writeFileSync(file, `${lines.join("\n")}\n`)
  return file
}

function start(started: ChildProcess[], url: string, ...args: readonly string[]): ChildProcess {
  const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning"]
  const child = spawn(process.execPath, [...flags, fileURLToPath(url), ...args], { stdio: ["ignore", "pipe", "inherit"] })
  started.push(child)
  return child
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [data] = (await once(child.stdout!, "data")) as [Buffer]
  return data.toString().trim()
}

async function untilOpen(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const socket = connect(port, "127.0.0.1")
    const open = await Promise.race([once(socket, "connect").then(() => true), once(socket, "close").then(() => false)]).catch(() => false)
    socket.destroy()
    if (open) return
    await new Promise((resolve) => void setTimeout(resolve, 20))
  }
  throw new Error(`expected HAProxy to open port ${port}, found it closed after two seconds`)
}
