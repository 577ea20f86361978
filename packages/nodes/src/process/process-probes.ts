import type { Container, Probe } from "@pilothouse/api/core/v1"
import { type Clock, messageOf, onAbort, PilothouseError, throwIfAborted } from "@pilothouse/seams"
import type { FatalProbe } from "../kubelet/container/process-facts.ts"
import type { ProbeHost, ProcessCall, SpawnProcess } from "./system/spawn.ts"

/** What the probes of a container say. */
export interface Probed {
  readonly started: boolean
  readonly ready: boolean
  /** The one that failed too often for it to go on. */
  readonly failed?: FatalProbe
}

/** The probes of one process, and what their results change. */
export interface ProbesOptions {
  readonly clock: Clock
  /** Rejects when the probe fails. */
  ask(probe: Probe, signal: AbortSignal): Promise<void>
  report(change: Partial<Probed>): void
  /** Each time that a probe fails, whether or not that changes anything. */
  complain(text: string): void
  /** Whether it is stopping, or soon will be: then startup and liveness are no longer probed. */
  isStopping(): boolean
  /** The process has ended. */
  readonly signal: AbortSignal
}

/** Probes since its container's start, from which initial delays count, also those of probes that have to wait for the startup probe. */
interface Watch extends ProbesOptions {
  readonly begun: number
}

/**
 * Probes a container as the prober of a kubelet does, until it has ended: first whether it has started, then whether it is ready and whether it
 * lives.
 */
export async function watchProbes({ startupProbe, readinessProbe, livenessProbe }: Container, options: ProbesOptions): Promise<void> {
  const { clock, report } = options
  const watch: Watch = { ...options, begun: clock.elapsed() }
  if (startupProbe !== undefined && !(await hasStarted(startupProbe, watch))) return
  report({ started: true, ...(readinessProbe === undefined && { ready: true }) })
  await Promise.all([
    // Readiness is probed to the end: clients that drain may use it.
    readinessProbe &&
      repeat("Readiness", readinessProbe, { ...watch, isStopping: () => false }, (ready) => {
        report({ ready })
        return true
      }),
    livenessProbe &&
      repeat("Liveness", livenessProbe, watch, (good) => {
        if (!good) report({ failed: "liveness" })
        return good
      }),
  ])
}

async function hasStarted(probe: Probe, watch: Watch): Promise<boolean> {
  let well = false
  await repeat("Startup", probe, watch, (good) => {
    well = good
    if (!good) watch.report({ failed: "startup" })
    return false
  })
  return well
}

/**
 * Reports each time that enough results in a row were good, or bad; the callback says whether to go on: a process that must end is no longer probed.
 */
async function repeat(kind: string, probe: Probe, watch: Watch, verdict: (good: boolean) => boolean): Promise<void> {
  const { clock, signal, begun } = watch
  const { initialDelaySeconds = 0, periodSeconds = 10, successThreshold = 1, failureThreshold = 3 } = probe
  let row = { good: true, count: 0 }
  let wait = Math.max(begun + initialDelaySeconds * 1000 - clock.elapsed(), 0)
  for (;;) {
    await clock.sleep(wait, { signal, name: "a probe" }).catch(() => undefined)
    if (signal.aborted || watch.isStopping()) return
    wait = periodSeconds * 1000
    const complaint = await answerOf(probe, watch)
    if (signal.aborted) return
    const good = complaint === undefined
    if (!good) watch.complain(`${kind} probe failed: ${complaint}`)
    row = { good, count: row.good === good ? row.count + 1 : 1 }
    if (row.count >= (good ? successThreshold : failureThreshold) && !verdict(good)) return
  }
}

/** Undefined: all is well. */
async function answerOf(probe: Probe, { clock, ask, signal }: ProbesOptions): Promise<string | undefined> {
  const limit = new AbortController()
  using _timer = clock.timer((probe.timeoutSeconds ?? 1) * 1000, "a probe takes too long", () => limit.abort())
  try {
    await clock.external(ask(probe, AbortSignal.any([signal, limit.signal])), "a probe")
    return undefined
  } catch (error) {
    return limit.signal.aborted ? `no answer within ${probe.timeoutSeconds ?? 1} s` : messageOf(error)
  }
}

/** What one probe of a process needs. */
export interface AskProbeOptions {
  readonly container: Container
  readonly address: string
  readonly call: ProcessCall
  readonly host: ProbeHost
  readonly spawn: SpawnProcess
}

/** Runs one probe of a process, on its own address; rejects with the reason where it fails. */
export async function askProbe(
  probe: Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc">,
  { container, address, call, host, spawn }: AskProbeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { httpGet, tcpSocket, grpc, exec } = probe
  // With the rights of its container, whose main process goes on when the command has ended.
  if (exec !== undefined)
    return runProbe({ ...call, argv: exec.command ?? [], endsCarriersOf: undefined, stdin: false, tty: false }, spawn, signal)
  if (httpGet !== undefined) {
    const { scheme = "HTTP", path = "/", port } = httpGet
    const url = `${scheme.toLowerCase()}://${httpGet.host ?? address}:${portOf(container, port)}${path.startsWith("/") ? path : `/${path}`}`
    const headers = Object.fromEntries((httpGet.httpHeaders ?? []).map(({ name, value }) => [name, value]))
    return host.http(url, { "user-agent": "kube-probe/1.36", ...headers }, signal)
  }
  // A gRPC server listens at least.
  const port = tcpSocket?.port ?? grpc?.port
  if (port !== undefined) return host.tcp(tcpSocket?.host ?? address, portOf(container, port), signal)
}

function portOf({ ports = [] }: Container, port: number | string): number {
  const named = ports.find(({ name }) => name === port)?.containerPort
  const number = named ?? Number(port)
  if (Number.isInteger(number)) return number
  throw new PilothouseError("INVALID", `expected a port of the container, found ${JSON.stringify(port)}`)
}

async function runProbe(call: ProcessCall, spawn: SpawnProcess, signal: AbortSignal): Promise<void> {
  throwIfAborted(signal)
  const done = Promise.withResolvers<void>()
  let last = ""
  const running = await spawn(call, {
    line: (text) => {
      last = text
    },
    end: ({ exitCode }) =>
      exitCode === 0 ? done.resolve() : done.reject(new Error(last || `the command ended with exit code ${exitCode}`)),
  })
  // The signal may have aborted while it was started.
  using _stop = onAbort(signal, () => running.signal("SIGKILL"))
  await done.promise
}
