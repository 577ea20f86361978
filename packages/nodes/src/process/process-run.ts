import type { Complaint, ProcessFacts } from "../kubelet/container/process-facts.ts"
import type { LogLine } from "../kubelet/logs/container-log.ts"
import { ProcessMeter } from "./process-use.ts"
import type { OutputStream, ProcessCall, ProcessUse, RunningProcess } from "./system/spawn.ts"

/** Receives what a process prints, as it comes. */
export type OutputListener = (stream: OutputStream, bytes: Buffer) => void

/** Lines kept of one run: an hour of a line each second, and not all of a process that never stops talking. */
const linesKept = 5000
/** Bytes kept of one run: lines may be long. */
const bytesKept = 4 * 1024 * 1024

/** Failed probes that are kept without an event: a paused node records none. */
const complaintsKept = 10

/**
 * One run of a container as a process on this host.
 * Invariant between calls: `ended` is set once and for ever; at most 5000 lines and 4 MiB are kept, the oldest are forgotten first, and #bytes is
 * how much they are; a signal that was sent before it ran stands in #wanted.
 */
export class ProcessRun {
  readonly startedAt: number
  readonly #lines: LogLine[] = []
  #bytes = 0
  #dropped = 0
  #facts: Omit<ProcessFacts, "startedAt" | "killAt" | "stopWantedAt" | "unlistedAt" | "complaints"> = { started: false, ready: false }
  #complaints: readonly Complaint[] = []
  #complained = 0
  #running: RunningProcess | undefined
  #wanted: "SIGTERM" | "SIGKILL" | undefined
  stopWantedAt: number | undefined
  unlistedAt: number | undefined
  killAt: number | undefined
  /** When SIGTERM was sent. */
  terminatedAt: number | undefined
  /** What its container does before SIGTERM; never rejects. */
  beforeStop: ((signal: AbortSignal) => Promise<void>) | undefined
  /** Aborts when it has ended, or could not be started. */
  readonly over = new AbortController()

  readonly #meter: ProcessMeter

  constructor(startedAt: number) {
    this.startedAt = startedAt
    this.#meter = new ProcessMeter(startedAt)
  }

  get facts(): ProcessFacts {
    const { stopWantedAt, unlistedAt, killAt, startedAt } = this
    return { ...this.#facts, startedAt, killAt, stopWantedAt, unlistedAt, complaints: this.#complaints }
  }

  get lines(): readonly LogLine[] {
    return this.#lines
  }

  /** How many lines were forgotten. */
  get dropped(): number {
    return this.#dropped
  }

  get isLive(): boolean {
    return this.#facts.ended === undefined && this.#facts.failure === undefined
  }

  is(change: Partial<ProcessFacts>): void {
    this.#facts = { ...this.#facts, ...change }
  }

  runs(process: RunningProcess, call: ProcessCall): void {
    this.#running = process
    this.#call = call
    if (this.#wanted !== undefined) this.signal(this.#wanted)
  }

  /** What it was started with, and how it is reached; undefined before it runs. */
  get started(): { readonly call: ProcessCall; readonly process: RunningProcess } | undefined {
    return this.#running && this.#call && { call: this.#call, process: this.#running }
  }

  #call: ProcessCall | undefined
  readonly #attached = new Set<OutputListener>()

  /** Passes on what it prints from now on. */
  attach(listener: OutputListener): Disposable {
    this.#attached.add(listener)
    return { [Symbol.dispose]: () => void this.#attached.delete(listener) }
  }

  pass(stream: OutputStream, bytes: Buffer): void {
    for (const listener of this.#attached) listener(stream, bytes)
  }

  /** Whether the system says what it uses. */
  get isMeasured(): boolean {
    return this.isLive && this.#running?.used !== undefined
  }

  measure(now: number): void {
    const use = this.isLive ? this.#running?.used?.() : undefined
    if (use !== undefined) this.#meter.take(use, now)
  }

  /** Cores and bytes; undefined where it is unknown. */
  usage(now: number): ProcessUse | undefined {
    return this.isLive ? this.#meter.usage(() => this.#running?.used?.(), now) : undefined
  }

  print(text: string, at: number): void {
    this.#lines.push({ at, text })
    this.#bytes += Buffer.byteLength(text)
    let old = Math.max(this.#lines.length - linesKept, 0)
    for (const line of this.#lines.slice(0, old)) this.#bytes -= Buffer.byteLength(line.text)
    for (; this.#bytes > bytesKept; old++) this.#bytes -= Buffer.byteLength(this.#lines[old]?.text ?? "")
    this.#dropped += this.#lines.splice(0, old).length
    if (/EADDRINUSE|address already in use/i.test(text)) this.is({ portTaken: text.trim().slice(0, 200) })
  }

  complain(text: string): void {
    this.#complaints = [...this.#complaints, { number: ++this.#complained, text }].slice(-complaintsKept)
  }

  /** All failed probes up to this one have their event. */
  acknowledge(upTo: number): void {
    this.#complaints = this.#complaints.filter(({ number }) => number > upTo)
  }

  end(exitCode: number, at: number): void {
    if (this.#facts.ended !== undefined) return
    this.is({ ended: { exitCode, at }, ready: false, started: false })
    this.over.abort()
  }

  fail(reason: string, message: string): void {
    this.is({ failure: { reason, message } })
    this.over.abort()
  }

  /** SIGTERM, once. */
  terminate(at: number): void {
    if (this.terminatedAt !== undefined) return
    this.terminatedAt = at
    this.signal("SIGTERM")
  }

  /** A process that does not run yet gets it when it does. */
  signal(name: "SIGTERM" | "SIGKILL"): void {
    if (!this.isLive) return
    if (this.#running === undefined) this.#wanted = name
    else this.#running.signal(name)
  }
}
