import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePorts } from "../../real/free-ports.ts"
import { type Attempt, isTooLarge, type Row, Skipped } from "./row.ts"
import { Program, startApiServer, startUp, type Up } from "./server.ts"
import { isTrueWithin, pause, until } from "./waiting.ts"
import { administrator, type Credentials, Wire } from "./wire.ts"

/** Milliseconds of CPU time that one turn of the main thread may take. */
const longestTurn = 250
/** Bytes that heap and external memory may grow by, after a forced collection. */
const memoryGrowth = 30 * 2 ** 20
/** Milliseconds from SIGTERM to the end: a second or two are usual, a client that stays used to hold it for as long as it liked. */
const stopTime = 10_000
/** Milliseconds for the main thread to answer the observer; a stalled one answers later or never. */
const observerTime = 30_000
/** Milliseconds after the attacker has left. */
const releaseTime = 20_000

/** `run` is a client of its API server, and opens a connection when it needs one. */
const ownConnections = 2

export interface Verdict {
  /** What was expected and found, each a sentence; none where the row passed. */
  readonly faults: readonly string[]
  readonly skipped?: string
  /** Nothing is wrong but turns that are less than twice as long as they may be: on a machine that has other work, CPU time is longer too. */
  readonly isNearMiss: boolean
  readonly seconds: number
  /** "turn 12 ms, memory +0.4 MB" */
  readonly figures: string
}

/** Runs a row against a fresh process, and judges both the answers and the process. */
export async function judge(row: Row): Promise<Verdict> {
  const begun = performance.now()
  const faults: string[] = []
  await using stack = new AsyncDisposableStack()
  let [skipped, figures]: [string | undefined, string] = [undefined, ""]
  let nearMisses = () => 0
  try {
    const trial = await startTrial(row, stack, faults)
    nearMisses = trial.nearMisses
    await row.attempt(trial.attempt)
    if (row.endsItself !== true) figures = await trial.finish()
  } catch (error) {
    if (error instanceof Skipped) skipped = error.message
    else faults.push(error instanceof Error ? error.message : String(error))
  }
  const isNearMiss = faults.length > 0 && faults.length === nearMisses()
  return { faults, skipped, isNearMiss, figures, seconds: (performance.now() - begun) / 1000 }
}

interface Trial {
  readonly attempt: Attempt
  /** How many of the faults are. */
  nearMisses(): number
  /** Judges the attacked process after the attacker has left it. */
  finish(): Promise<string>
}

interface Attacked {
  readonly program?: Program
  readonly up?: Up
  readonly port: number
  /** Of the API server. */
  readonly api?: { readonly port: number; readonly credentials: Credentials }
}

async function startTrial(row: Row, stack: AsyncDisposableStack, faults: string[]): Promise<Trial> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-attack-"))
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const keep = (program: Program) => {
    stack.defer(() => program.kill())
    return program
  }
  const attacked = await startAttacked(row, directory, keep)
  const [anonymous, admin] = [new Wire(attacked.port), new Wire(attacked.api?.port ?? 0, attacked.api?.credentials)]
  const wires = [anonymous, admin]
  stack.defer(() => wires.forEach((wire) => wire.leave()))
  const measure = attacked.program === undefined ? undefined : new Measure(attacked.program, row, faults)
  if (attacked.up !== undefined) await warmUp(admin)
  admin.leave()
  await measure?.begin()
  const attempt: Attempt = {
    directory,
    get target() {
      return attacked.program!
    },
    get up() {
      return attacked.up!
    },
    anonymous,
    admin,
    wire(port) {
      const wire = new Wire(port)
      wires.push(wire)
      return wire
    },
    start: (args, options) => keep(new Program(args, options)),
    async startUp(path, flags, options) {
      const up = await startUp(path, flags, options)
      keep(up.program)
      return up
    },
    expect(isSo, expected, found) {
      if (!isSo) faults.push(`expected ${expected}, found ${shown(found)}`)
    },
    expectStatus(what, { status, text }, ...expected) {
      const isRefusal = isTooLarge({ text }) && expected.includes(413)
      if (!expected.includes(status) && !isRefusal)
        faults.push(`expected ${what} to be answered with ${oneOf(expected)}, found ${status} ${shown(text)}`)
    },
    expectTurns: async (what) => await measure?.turns(` of ${what}`),
    async rebase() {
      for (const wire of wires) wire.leave()
      await measure?.begin()
    },
    skip(reason) {
      throw new Skipped(reason)
    },
  }
  const finish = async () => {
    for (const wire of wires) wire.leave()
    return (await measure?.end(row.server === "up" || row.server === "run" ? new Wire(attacked.port) : undefined)) ?? ""
  }
  return { attempt, finish, nearMisses: () => measure?.nearMisses ?? 0 }
}

async function startAttacked(row: Row, directory: string, keep: (program: Program) => Program): Promise<Attacked> {
  if (row.server === "none") return { port: 0 }
  if (row.server === "up") {
    const up = await startUp(join(directory, "data"), row.flags ?? ["--ephemeral"])
    keep(up.program)
    return { program: up.program, up, port: up.port, api: { port: up.port, credentials: administrator(up.facts.kubeconfig) } }
  }
  const api = await startApiServer(join(directory, "api"))
  keep(api.program)
  const [port = 0] = await freePorts(1)
  const own = ["--secure-port", String(port), "--cert-dir", join(directory, "run")]
  const program = keep(new Program(["run", "--kubeconfig", api.kubeconfig, ...own, ...(row.flags ?? [])]))
  const wire = new Wire(port)
  await until("pilothouse run to be ready", async () => (await wire.send({ path: "/healthz" })).status === 200, 60_000)
  wire.leave()
  const apiPort = Number(/127\.0\.0\.1:(\d+)/.exec(api.program.output)?.[1])
  return { program, port, api: { port: apiPort, credentials: administrator(api.kubeconfig) } }
}

/** What is loaded when it is first used is no turn of an attacker. */
async function warmUp(admin: Wire): Promise<void> {
  const path = "/api/v1/namespaces/default/configmaps"
  const yaml = { "content-type": "application/yaml" }
  await admin.send({ method: "POST", path, headers: yaml, body: "metadata: {name: warm}\ndata: {a: b}\n" })
  const accepts = ["application/yaml", "application/json;as=Table;g=meta.k8s.io;v=v1", "application/vnd.kubernetes.protobuf"]
  for (const accept of accepts) await admin.send({ path, headers: { accept } })
  for (const type of ["json", "merge", "strategic-merge"]) {
    const body = type === "json" ? [{ op: "add", path: "/data/a", value: "c" }] : { data: { a: type } }
    await admin.send({ method: "PATCH", path: `${path}/warm`, headers: { "content-type": `application/${type}-patch+json` }, body })
  }
  const pod = { metadata: { name: "warm" }, spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1" } } }] } }
  await admin.create("/api/v1/namespaces/default/pods", pod)
  await pause(500)
  await admin.send({ method: "DELETE", path: "/api/v1/namespaces/default/pods/warm" })
  await admin.send({ method: "DELETE", path: `${path}/warm` })
  await admin.send({ path: "/metrics" })
  await pause(500)
}

/** Turns, memory and descriptors of the attacked process, between begin() and end(). */
class Measure {
  readonly #program: Program
  readonly #row: Row
  readonly #faults: string[]
  #start: { readonly memory: number; readonly descriptors: readonly string[] } = { memory: 0, descriptors: [] }
  /** Milliseconds; undefined once the main thread has not answered. */
  #longest: number | undefined = 0
  /** Faults that are turns of less than twice the limit. */
  nearMisses = 0

  constructor(program: Program, row: Row, faults: string[]) {
    this.#program = program
    this.#row = row
    this.#faults = faults
  }

  async begin(): Promise<void> {
    await pause(200)
    const memory = (await this.#program.ask("memory", observerTime)) ?? 0
    await this.#program.ask("turn", observerTime)
    this.#start = { memory, descriptors: this.#program.descriptorTargets }
  }

  async end(wire: Wire | undefined): Promise<string> {
    await this.turns()
    if (this.#longest === undefined) return ""
    await this.#alive(wire)
    if (this.#program.isOver) return this.#fault("the process to go on", `that it ended: ${this.#program.output.slice(-500)}`)
    const left = await this.#descriptors()
    const grown = await this.#memory()
    await this.#stop()
    return `longest turn ${Math.round(this.#longest)} ms, memory ${grown > 0 ? "+" : ""}${grown.toFixed(1)} MB, descriptors ${left > 0 ? "+" : ""}${left}`
  }

  /** Since it was asked for last. */
  async turns(what = ""): Promise<void> {
    const turn = await this.#program.ask("turn", observerTime)
    this.#longest = turn === undefined || this.#longest === undefined ? undefined : Math.max(turn, this.#longest)
    if (this.#program.isOver) this.#fault("the process to go on", `that it ended: ${this.#program.output.slice(-500)}`)
    else if (turn === undefined) this.#fault(`the main thread to be free${what}`, `that it was not within ${observerTime / 1000} s`)
    else if (turn > longestTurn) {
      if (turn < 2 * longestTurn) this.nearMisses++
      this.#fault(`no turn of the main thread over ${longestTurn} ms of CPU time${what}`, `one of ${Math.round(turn)} ms`)
    }
  }

  #fault(expected: string, found: string): string {
    this.#faults.push(`expected ${expected}, found ${found}`)
    return ""
  }

  async #alive(wire: Wire | undefined): Promise<void> {
    const answer = await wire?.send({ path: this.#row.server === "run" ? "/healthz" : "/livez" })
    if (answer !== undefined && answer.status !== 200)
      this.#fault("that it serves afterwards", `${answer.status} ${answer.text.slice(0, 200)}`)
    wire?.leave()
  }

  async #descriptors(): Promise<number> {
    const start = this.#start.descriptors
    const allowed = start.length + (this.#row.descriptors ?? (this.#row.server === "run" ? ownConnections : 0))
    const limit = this.#row.release === undefined ? releaseTime : this.#row.release * 1000
    await isTrueWithin(() => this.#program.descriptors <= allowed, limit)
    const found = this.#program.descriptors
    const others = this.#program.descriptorTargets.filter((target) => !start.includes(target))
    if (found > allowed)
      this.#fault(`${allowed} descriptors ${limit / 1000} s after the attacker left`, `${found}, among them ${others.join(", ")}`)
    return found - start.length
  }

  async #memory(): Promise<number> {
    const allowed = this.#start.memory + memoryGrowth + (this.#row.memory ?? 0) * 2 ** 20
    let bytes = Number.POSITIVE_INFINITY
    await isTrueWithin(async () => {
      bytes = Math.min(bytes, (await this.#program.ask("memory", observerTime)) ?? bytes)
      return bytes <= allowed
    }, releaseTime)
    const grown = (bytes - this.#start.memory) / 2 ** 20
    if (bytes > allowed)
      this.#fault(`memory within ${Math.round((allowed - this.#start.memory) / 2 ** 20)} MB of the start`, `+${grown.toFixed(1)} MB`)
    return grown
  }

  async #stop(): Promise<void> {
    const end = await this.#program.end(stopTime)
    if (end === undefined) this.#fault(`an end within ${stopTime / 1000} s of SIGTERM`, "none")
    else if (end.result !== 0) this.#fault("exit code 0 after SIGTERM", `${end.result}: ${this.#program.output.slice(-500)}`)
  }
}

function shown(found: unknown): string {
  const text = typeof found === "string" ? found : (JSON.stringify(found) ?? String(found))
  const line = text.replaceAll(/\s+/g, " ")
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

function oneOf(statuses: readonly number[]): string {
  return statuses.length > 5 ? "a refusal" : statuses.join(" or ")
}
