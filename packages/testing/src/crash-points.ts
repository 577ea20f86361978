import { deepEqual } from "@pilothouse/api"
import { PilothouseError, seededRandom, silentLog, stringifyJson, type Transport, type TransportRequest } from "@pilothouse/seams"
import { cluster } from "./cluster.ts"
import type { Cluster, ClusterOptions } from "./cluster-options.ts"
import { endState } from "./end-state.ts"

/** Something that happens in a cluster and comes to an end. */
export interface Scenario {
  /**
   * A function is called for each run: each has what it makes, such as the fake of a cloud, for itself. Calls of a transport that it wraps with `crashable` are calls to
   * crash at too: `({ crashable }) => ({ extra: () => [records(crashable(dns.transport))] })`. Wrap it inside `extra`, so that controllers that have crashed reach it no more.
   */
  readonly cluster?: Omit<ClusterOptions, "layer"> | ((run: CrashRun) => Omit<ClusterOptions, "layer">)
  /** Changes things and lets time pass until all is quiet. */
  run(cluster: Cluster): Promise<void>
  /** What must be the same at the end; by default everything but random names, times and addresses. */
  end?(cluster: Cluster): Promise<unknown>
}

/** What the options of one run are made with. */
export interface CrashRun {
  /** The same transport, at whose calls the process crashes. */
  crashable(transport: Transport): Transport
}

/** Options of `crashPoints()`. */
export interface CrashPointOptions {
  /** Try only so many of the points, chosen by the seed; all of them by default. */
  readonly sample?: number
  readonly seed?: number
  /** Names of controllers that the scenario is about: each of them has to write something (other than events) in the run without a crash. */
  readonly writers?: readonly string[]
  /** Called with every run that ended in another state; the sweep then goes on. Without it the first one is thrown. */
  onFailure?(failure: PilothouseError): void
}

/** What `crashPoints()` has tried. */
export interface CrashReport {
  /** API calls that the controllers made in the run without a crash. */
  readonly calls: number
  /** Runs with a crash. */
  readonly tried: number
  /** The controllers that crashed, by name; none where the scenario plays itself. */
  readonly controllers: readonly string[]
  /** Those of them that wrote something in the run without a crash. */
  readonly writers: readonly string[]
}

/** The write at which the process crashes. */
export interface Crash {
  readonly call: number
  /** Before: the server never sees the call. After: it has carried it out, and the answer is lost. */
  readonly moment: "before" | "after"
}

/** The outcome of one run of a scenario. */
export interface Played {
  readonly end: unknown
  /** In words: "GET /api/v1/pods". */
  readonly calls: readonly string[]
  /** The controllers that ran. */
  readonly controllers?: readonly string[]
  /** Those that wrote something. */
  readonly writers?: readonly string[]
}

/** Runs a scenario that counts its calls itself: to a cloud, say. The process dies at the given call and is started again; undefined: it does not. */
export type Play = (crash: Crash | undefined) => Promise<Played>

/**
 * Runs the scenario once undisturbed, then once for each API call of the controllers with a crash at that call (before it arrives, and after it was
 * carried out) and a restart of the controllers. Every run must end in the same state; the first that does not is thrown, with its call.
 */
export async function crashPoints(scenario: Scenario | Play, options: CrashPointOptions = {}): Promise<CrashReport> {
  const run: Play = typeof scenario === "function" ? scenario : (crash) => play(scenario, crash)
  const calm = await run(undefined)
  const { controllers = [], writers = [] } = calm
  refuseIdle(options.writers ?? [], writers)
  const points = choose(calm.calls.length, options)
  for (const crash of points) {
    const failure = await failureOf(run, crash, calm)
    if (failure === undefined) continue
    if (options.onFailure === undefined) throw failure
    options.onFailure(failure)
  }
  return { calls: calm.calls.length, tried: points.length, controllers, writers }
}

async function failureOf(run: Play, crash: Crash, calm: Played): Promise<PilothouseError | undefined> {
  try {
    const { end } = await run(crash)
    return deepEqual(end, calm.end) ? undefined : different(crash, calm, end)
  } catch (cause) {
    return new PilothouseError("INVALID", `the scenario failed with a crash ${describe(crash, calm.calls)}`, { cause })
  }
}

async function play(scenario: Scenario, crash: Crash | undefined): Promise<Played> {
  const calls: string[] = []
  const writers = new Set<string>()
  // The controllers may crash while the cluster is still being made: the restart then waits for it.
  const made = Promise.withResolvers<Cluster>()
  let restarted: Promise<void> | undefined
  // One for each start of the controllers: once dead, none of its calls gets through.
  let life = { dead: false }
  const die = (): void => {
    if (!life.dead) {
      restarted = made.promise.then((running) => {
        life = { dead: false }
        return running.restartControllers()
      })
    }
    life.dead = true
  }
  const crashable = (inner: Transport): Transport => {
    const own = life
    return async (request) => {
      const call = calls.push(`${request.verb} ${request.path}`) - 1
      if (own.dead || (call === crash?.call && crash.moment === "before")) {
        if (!own.dead) die()
        throw lost(request)
      }
      const response = await inner(request)
      if (call !== crash?.call) return response
      die()
      throw lost(request)
    }
  }
  const layer = (inner: Transport): Transport => {
    const counted = crashable(inner)
    return async (request) => {
      const writer = writerOf(request)
      if (writer !== undefined) writers.add(writer)
      return counted(request)
    }
  }
  const options = typeof scenario.cluster === "function" ? scenario.cluster({ crashable }) : scenario.cluster
  // Failures because of the crash are expected.
  const running = await cluster({ log: silentLog, ...options, layer })
  made.resolve(running)
  try {
    await scenario.run(running)
    return {
      end: await (scenario.end ?? endState)(running),
      calls: [...calls],
      controllers: [...running.controllerNames],
      writers: [...writers],
    }
  } finally {
    // Controllers that start while the cluster closes would outlive it.
    await restarted
    await running.close()
  }
}

function choose(calls: number, { sample, seed = 1 }: CrashPointOptions): readonly Crash[] {
  const all = Array.from({ length: calls }, (_, call): Crash[] => [
    { call, moment: "before" },
    { call, moment: "after" },
  ]).flat()
  if (sample === undefined || sample >= all.length) return all
  const random = seededRandom(seed)
  return Array.from({ length: sample }, () => all.splice(random.int(all.length), 1)[0]!)
}

function describe({ call, moment }: Crash, calls: readonly string[]): string {
  const words = calls[call]
  return `${moment} call ${call}${words === undefined ? "" : ` (${words})`}`
}

function different(crash: Crash, calm: Played, end: unknown): PilothouseError {
  const [expected, found] = [calm.end, end].map((state) => (Array.isArray(state) ? state : [state]).map((part) => stringifyJson(part)))
  const missing = expected?.filter((part) => !found?.includes(part))
  const unexpected = found?.filter((part) => !expected?.includes(part))
  const message = `with a crash ${describe(crash, calm.calls)} the scenario ended otherwise; expected\n${missing?.join("\n")}\nfound\n${unexpected?.join("\n")}`
  return new PilothouseError("INVALID", message)
}

function lost(request: TransportRequest): PilothouseError {
  return new PilothouseError("CONNECTION_LOST", `the process crashed: ${request.verb} ${request.path}`)
}

/**
 * Returns the controller that sends a write; undefined of reads. Controllers have their name in the user agent ("pilothouse/job-controller"). Events
 * change nothing.
 */
export function writerOf({ verb, path, headers }: TransportRequest): string | undefined {
  if (verb === "GET" || resourceIn(path) === "events") return undefined
  return headers["user-agent"]?.split("/")[1]
}

/** The plural that stands after group, version and namespace: a namespace or an object may be called "events" too. */
export function resourceIn(path: string): string | undefined {
  const names = path.split("/").slice(path.startsWith("/apis/") ? 4 : 3)
  return names[0] === "namespaces" && names.length > 2 ? names[2] : names[0]
}

/** A controller that writes nothing is not tried by crashes, however many there are. */
export function refuseIdle(expected: readonly string[], found: readonly string[]): void {
  const idle = expected.filter((name) => !found.includes(name))
  if (idle.length === 0) return
  const message = `expected ${idle.join(", ")} to write something in the scenario without a crash, found writes of ${found.join(", ") || "no controller"}`
  throw new PilothouseError("INVALID", `${message}; give it something to do, or leave it out of the writers`)
}
