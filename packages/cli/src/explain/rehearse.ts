import { type Descriptor, type KubeObject, resourceNameOf } from "@pilothouse/api"
import { type Controller, createManager } from "@pilothouse/runtime"
import { type Clock, type Log, PilothouseError, type Random, type Transport } from "@pilothouse/seams"
import { looksAt, type TracedLook } from "./trace.ts"

export interface RehearseOptions {
  readonly of: Descriptor
  readonly object: KubeObject
  readonly controllers: readonly Controller[]
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** How long the caches and a first look may take. */
const patience = 10_000
const lookAgain = 20

/** Runs the loops of this kind for one look, without a single write: what they would do now, where nobody remembers what they did. */
export async function rehearse({ of, object, controllers, ...seams }: RehearseOptions): Promise<readonly TracedLook[]> {
  const concerned = controllers.filter((one) => resourceNameOf(one.for) === resourceNameOf(of))
  if (concerned.length === 0) return []
  const manager = createManager({ ...seams, controllers: concerned, dryRun: true, grace: 0 })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  try {
    return await firstLook(() => tracedLooks(manager.endpoints), object, seams.clock)
  } finally {
    stop.abort()
    await running
  }
}

async function firstLook(read: () => Promise<readonly TracedLook[]>, object: KubeObject, clock: Clock): Promise<readonly TracedLook[]> {
  const deadline = clock.elapsed() + patience
  for (;;) {
    const looks = looksAt(await read(), object)
    if (looks.length > 0 || clock.elapsed() > deadline) return looks
    await clock.sleep(lookAgain, { name: "the loops look" })
  }
}

/** What the endpoints of a manager say of its last looks. */
export async function tracedLooks(endpoints: Transport, strict = false): Promise<readonly TracedLook[]> {
  return (await traceOf(endpoints, strict)).entries ?? []
}

export interface TraceAnswer {
  readonly entries?: readonly TracedLook[]
  /** Names of the loops that run there. */
  readonly controllers?: readonly string[]
}

/** Whoever does not tell has none, unless `strict` asks why. */
export async function traceOf(endpoints: Transport, strict = false): Promise<TraceAnswer> {
  const { status, body } = await endpoints({ verb: "GET", path: "/debug/trace", query: {}, headers: {} })
  const text = body.type === "bytes" ? new TextDecoder().decode(body.bytes) : ""
  if (status !== 200 && strict) throw new PilothouseError("INVALID", `it answered ${status}: ${text.trim()}`)
  if (status !== 200) return {}
  const value: unknown = body.type === "value" ? body.value : JSON.parse(text || "{}")
  return value as TraceAnswer
}
