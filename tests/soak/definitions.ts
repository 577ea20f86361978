import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createApiServer } from "@pilothouse/apiserver"
import {
  recordingLog,
  type SeededRandom,
  seededRandom,
  type Transport,
  type TransportRequest,
  VirtualClock,
  valueBody,
} from "@pilothouse/seams"
import { Draw } from "../real/api/draw.ts"
import { anyValue } from "../real/crds/objects-values.ts"
import { drawHostile } from "./definitions/draw-hostile.ts"
import { described, faultOf } from "./fuzz/fuzzer.ts"
import type { SoakContext } from "./soak.ts"

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
/** Milliseconds of CPU for one input. */
const maxCpu = 1000
/** Megabytes of heap that a thousand inputs may leave behind. */
const maxHeap = 300
/** Inputs of one server. */
const perServer = 1000

/**
 * Random, broken and grown definitions, and objects of those that are accepted: each is answered in bounded time, a refusal with a Status, without a
 * fault of the server's own, and memory does not grow.
 */
export async function soak({ random, number, print, passed, failed }: SoakContext): Promise<void> {
  const inputs = number("inputs", 100_000)
  let slowest = 0
  for (let begun = 0; begun < inputs; begun += perServer) {
    const target = new Target()
    for (let index = begun; index < Math.min(inputs, begun + perServer); index++) {
      const started = process.cpuUsage()
      const fault = await target.judge(random.fork(`definition ${index}`), index)
      const { user, system } = process.cpuUsage(started)
      const took = (user + system) / 1000
      slowest = Math.max(slowest, took)
      if (fault !== undefined) failed(`input ${index}: ${fault}`)
      else if (took > maxCpu) failed(`input ${index}: expected at most ${maxCpu} ms of CPU, found ${took.toFixed(0)}`)
      else passed()
    }
    const heap = heapMegabytes()
    if (heap > maxHeap) failed(`after input ${begun + perServer}: expected a heap of at most ${maxHeap} MB, found ${heap.toFixed(0)}`)
    if (begun % 10_000 === 0) print(`${begun + perServer} inputs, ${heap.toFixed(0)} MB, slowest ${slowest.toFixed(0)} ms of CPU`)
  }
}

/** A server in virtual time. */
class Target {
  readonly #clock = new VirtualClock()
  readonly #transport: Transport
  readonly #lines: ReturnType<typeof recordingLog>["lines"]

  constructor() {
    const { log, lines } = recordingLog()
    this.#lines = lines
    this.#transport = createApiServer({ clock: this.#clock, random: seededRandom(1), log }).transport()
  }

  /** One definition: most are not stored, some are and get objects. */
  async judge(random: SeededRandom, index: number): Promise<string | undefined> {
    const draw = new Draw(random)
    const body = valueBody(drawHostile(random, index))
    if (!draw.chance(0.1)) return await this.#send({ verb: "POST", path, query: { dryRun: "All" }, headers: {}, body })
    const fault = await this.#send({ verb: "POST", path, query: {}, headers: {}, body })
    await this.#clock.advance(1000)
    for (const request of objectRequests(draw, body.value)) {
      const wrong = await this.#send(request)
      if (wrong !== undefined) return wrong
    }
    return fault
  }

  async #send(request: TransportRequest): Promise<string | undefined> {
    const before = this.#lines.length
    const fault = await faultOf(this.#clock, this.#transport(request))
    const logged = this.#lines.slice(before).find(({ level }) => level === "error")
    const what = fault ?? (logged && `the server's own fault: ${JSON.stringify(logged)}`)
    return what && `${what}; asked ${described(request).slice(0, 4000)}`
  }
}

/** Writes and reads of the kind that a definition defines, whether it was accepted or not, and its end. */
function objectRequests(draw: Draw, definition: unknown): readonly TransportRequest[] {
  const { metadata, spec } = (definition ?? {}) as {
    metadata?: { name?: unknown }
    spec?: { group?: unknown; names?: { plural?: unknown } }
  }
  const collection = `/apis/${spec?.group}/v1/namespaces/default/${spec?.names?.plural}`
  const headers = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }
  const object = (name: string) => ({ metadata: { name }, spec: anyValue(draw, 4), status: anyValue(draw, 3) })
  return [
    { verb: "POST", path: collection, query: {}, headers: {}, body: valueBody(object("a")) },
    {
      verb: "PATCH",
      path: `${collection}/a`,
      query: {},
      headers: { "content-type": "application/merge-patch+json" },
      body: valueBody(object("a")),
    },
    { verb: "GET", path: collection, query: {}, headers },
    { verb: "GET", path: `/openapi/v3/apis/${spec?.group}/v1`, query: {}, headers: {} },
    { verb: "DELETE", path: `${path}/${encodeURIComponent(String(metadata?.name))}`, query: {}, headers: {} },
  ]
}

function heapMegabytes(): number {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed / 1024 / 1024
}
