import type { Container, Pod } from "@pilothouse/api/core/v1"
import type { EventSource } from "@pilothouse/runtime"
import { type Clock, onAbort, PilothouseError } from "@pilothouse/seams"
import type { PodProcesses, ProcessOrder } from "../kubelet/container/process-facts.ts"
import { minGrace } from "../kubelet/container/stop-processes.ts"
import type { PrintedLog } from "../kubelet/logs/container-log.ts"
import { type LaunchOptions, launch } from "./launch.ts"
import { ProcessRun } from "./process-run.ts"
import { measureEvery } from "./process-use.ts"
import type { ProcessUse, SpawnStreams, StreamedProcess, StreamOptions } from "./system/spawn.ts"

/** How the processes of a host are started. */
export interface ProcessesOptions extends Omit<LaunchOptions, "changed" | "closed"> {
  /** The system has only 127.0.0.1: all processes share it, and of two that bind one port the second ends. */
  readonly oneAddress?: boolean
  /** Starts commands for clients. Left out: there are none. */
  readonly stream?: SpawnStreams
}

/** Milliseconds that processes have to end in when the whole cluster stops, or when their pod is gone without having stopped. */
const lastGrace = 1000

/**
 * Milliseconds that the search for what killed processes left behind may take when the whole cluster stops: two hundred rounds over all processes of a
 * busy host take seconds. With `lastGrace` before it this ends within the 8 s of a stop.
 */
const sweepLimit = 6000

/** The message for a container that its pod does not have any more. */
const noContainer = "expected a container of this name in the pod, found none"

/**
 * The real processes of all process pods, in this process' memory: when it ends, they end.
 * Invariant between calls: a run is started at most once, and none after #closed; of a container the last two runs are kept.
 */
export class Processes implements EventSource, AsyncDisposable {
  readonly #options: ProcessesOptions
  /** By the pod's uid, then by "container/run". */
  readonly #pods = new Map<string, Map<string, ProcessRun>>()
  readonly #wakes = new Set<(key: string, reason: string) => void>()
  readonly #closed = new AbortController()
  #measuring: Disposable | undefined

  constructor(options: ProcessesOptions) {
    const { powers } = options
    let known: ReturnType<NonNullable<typeof powers>> | undefined
    // Asked for once: user and rights of this program do not change.
    this.#options = powers === undefined ? options : { ...options, powers: () => (known ??= powers()) }
  }

  get oneAddress(): boolean {
    return this.#options.oneAddress ?? false
  }

  listen(wake: (key: string, reason: string) => void): Disposable {
    this.#wakes.add(wake)
    return { [Symbol.dispose]: () => void this.#wakes.delete(wake) }
  }

  of({ metadata }: Pod, isUnlisted: boolean): PodProcesses {
    const runs = this.#pods.get(metadata.uid ?? "")
    return { isUnlisted, run: (container, run) => runs?.get(`${container}/${run}`)?.facts }
  }

  async start({ pod, container: name, run }: ProcessOrder): Promise<void> {
    const runs = this.#runsOf(pod)
    const before = runs.get(`${name}/${run}`)
    if (before !== undefined && before.facts.failure === undefined) return
    const made = new ProcessRun(this.#options.clock.now())
    runs.set(`${name}/${run}`, made)
    runs.delete(`${name}/${run - 2}`)
    const container = containerNamed(pod, name)
    const { signal: closed } = this.#closed
    if (container === undefined) made.fail("CreateContainerConfigError", noContainer)
    else
      await launch({ run: made, number: run, pod, container }, { ...this.#options, closed, changed: (reason) => this.#wake(pod, reason) })
    this.#measureLater()
    this.#wake(pod, `the process of ${name} was started`)
  }

  /** The run of a container that is under way; undefined where there is none. */
  running(pod: Pod, container: string): ProcessRun | undefined {
    const [, run] = this.#runsOfContainer(pod, container).at(-1) ?? []
    return run?.isLive && run.started !== undefined ? run : undefined
  }

  /** Runs a command in the environment of a container: its directory, its variables and its user. Rejects where it cannot be started. */
  async exec(run: ProcessRun, argv: readonly string[], streams: StreamOptions): Promise<StreamedProcess> {
    const { stream } = this.#options
    const { started } = run
    if (stream === undefined || started === undefined)
      throw new PilothouseError("INVALID", "expected processes with streams, found ones without: this host starts none")
    const call = { ...started.call, argv, endsCarriersOf: undefined, ...streams }
    const command = await this.#options.clock.external(stream(call, streams), "a command starts")
    // It ends with its container at the latest.
    const stop = onAbort(run.over.signal, () => command.signal("SIGKILL"))
    void command.ended.then(() => stop[Symbol.dispose]())
    return command
  }

  /** What the process of a container uses, in cores and bytes. Undefined: it is no process, or the system does not say. */
  usage(pod: Pod, container: string): ProcessUse | undefined {
    const [, run] = this.#runsOfContainer(pod, container).at(-1) ?? []
    return run?.usage(this.#options.clock.now())
  }

  acknowledge({ pod, container, run }: ProcessOrder, upTo: number): void {
    this.#find(pod, container, run)?.acknowledge(upTo)
    this.#wake(pod, `the failed probes of ${container} have their events`)
  }

  warn({ pod, container, run, ...order }: ProcessOrder): void {
    const found = this.#find(pod, container, run)
    if (found === undefined) return
    const now = this.#options.clock.now()
    found.stopWantedAt ??= now
    if ("unlisted" in order && order.unlisted) found.unlistedAt ??= now
  }

  stop({ pod, container, run }: ProcessOrder, killAt: number): void {
    const found = this.#find(pod, container, run)
    if (found !== undefined) stopRun(found, killAt, this.#options.clock)
  }

  /** Ends what is left of pods that are not there any more. */
  sweep(node: string, isThere: (uid: string) => boolean): void {
    const { clock } = this.#options
    for (const [uid, runs] of this.#pods) {
      if (isThere(uid) || this.#nodes.get(uid) !== node) continue
      for (const run of runs.values()) stopRun(run, clock.now() + lastGrace, clock)
      if ([...runs.values()].every((run) => !run.isLive)) this.#forget(uid)
    }
  }

  /** Whether a node has processes of pods that it does not have. */
  hasOrphans(node: string, isThere: (uid: string) => boolean): boolean {
    return [...this.#nodes].some(([uid, home]) => home === node && !isThere(uid))
  }

  /** What a container has printed; undefined: it is no process, or has never run here. */
  printed(pod: Pod, container: string, previous: boolean): PrintedLog | undefined {
    const [key = "", run] = this.#runsOfContainer(pod, container).at(previous ? -2 : -1) ?? []
    return run && { run: key, lines: [...run.lines], dropped: run.dropped, ended: !run.isLive }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    this.#measuring?.[Symbol.dispose]()
    const live = this.#runs().filter((run) => run.isLive)
    if (live.length === 0) return
    for (const run of live) run.signal("SIGTERM")
    await this.#untilOver(live, lastGrace)
    for (const run of live) run.signal("SIGKILL")
    // A run is over when what it left behind was found and ended too: this program must not be gone before.
    await this.#untilOver(live, sweepLimit)
  }

  /** Ends when all have ended, or after the limit in milliseconds. */
  async #untilOver(runs: readonly ProcessRun[], limit: number): Promise<void> {
    const over = new AbortController()
    void Promise.all(runs.map(untilOver)).then(() => over.abort())
    await this.#options.clock.sleep(limit, { signal: over.signal, name: "processes end" }).catch(() => undefined)
  }

  readonly #nodes = new Map<string, string>()

  #runsOf({ metadata: { uid = "" }, spec }: Pod): Map<string, ProcessRun> {
    const known = this.#pods.get(uid) ?? new Map<string, ProcessRun>()
    this.#pods.set(uid, known)
    this.#nodes.set(uid, spec?.nodeName ?? "")
    return known
  }

  #runs(): readonly ProcessRun[] {
    return [...this.#pods.values()].flatMap((runs) => [...runs.values()])
  }

  /** By "container/run", the oldest first. */
  #runsOfContainer({ metadata: { uid = "" } }: Pod, container: string): readonly (readonly [string, ProcessRun])[] {
    const runs = [...(this.#pods.get(uid) ?? [])].filter(([key]) => key.startsWith(`${container}/`))
    return runs.sort(([a], [b]) => runNumber(a) - runNumber(b))
  }

  /** One timer for all, while there is one to measure. */
  #measureLater(): void {
    if (this.#measuring !== undefined || this.#closed.signal.aborted || !this.#runs().some((run) => run.isMeasured)) return
    const { clock } = this.#options
    this.#measuring = clock.timer(measureEvery, "what processes use", () => {
      this.#measuring = undefined
      for (const run of this.#runs()) run.measure(clock.now())
      this.#measureLater()
    })
  }

  #forget(uid: string): void {
    this.#pods.delete(uid)
    this.#nodes.delete(uid)
  }

  #find({ metadata }: Pod, container: string, run: number): ProcessRun | undefined {
    return this.#pods.get(metadata.uid ?? "")?.get(`${container}/${run}`)
  }

  #wake({ spec }: Pod, reason: string): void {
    for (const wake of this.#wakes) wake(spec?.nodeName ?? "", reason)
  }
}

function runNumber(key: string): number {
  return Number(key.slice(key.lastIndexOf("/") + 1))
}

function untilOver({ over }: ProcessRun): Promise<void> {
  if (over.signal.aborted) return Promise.resolve()
  return new Promise((resolve) => over.signal.addEventListener("abort", () => resolve(), { once: true }))
}

/** The hook of its container, then SIGTERM, once; of several moments for SIGKILL the first one counts. */
function containerNamed({ spec }: Pod, wanted: string): Container | undefined {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {}
  return [...containers, ...initContainers, ...(ephemeralContainers as readonly Container[])].find(({ name }) => name === wanted)
}

function stopRun(run: ProcessRun, killAt: number, clock: Clock): void {
  if (!run.isLive || (run.killAt ?? Number.POSITIVE_INFINITY) <= killAt) return
  const isFirst = run.killAt === undefined
  run.killAt = killAt
  if (isFirst) void terminate(run, clock)
  at(killAt, run, clock, () => kill(run, clock))
}

async function terminate(run: ProcessRun, clock: Clock): Promise<void> {
  if (run.beforeStop !== undefined) await run.beforeStop(run.over.signal)
  run.terminate(clock.now())
}

/** A hook that took nearly all of the grace, or more, still leaves its process the least that there is. */
function kill(run: ProcessRun, clock: Clock): void {
  run.terminate(clock.now())
  const min = run.beforeStop === undefined ? clock.now() : run.terminatedAt! + minGrace
  if (min > clock.now()) at(min, run, clock, () => run.signal("SIGKILL"))
  else run.signal("SIGKILL")
}

function at(moment: number, run: ProcessRun, clock: Clock, act: () => void): void {
  const timer = clock.timer(Math.max(moment - clock.now(), 0), "a process is killed", act)
  run.over.signal.addEventListener("abort", () => timer[Symbol.dispose](), { once: true })
}
