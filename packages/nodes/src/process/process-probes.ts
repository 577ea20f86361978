import type { Container, Probe } from "@pilothouse/api/core/v1"
import { type Clock, messageOf } from "@pilothouse/seams"

/** What the probes of a container say. */
export interface Probed {
  readonly started: boolean
  readonly ready: boolean
  readonly alive: boolean
  readonly complaint?: string
}

export interface ProbesOptions {
  readonly clock: Clock
  /** Rejects when the probe fails. */
  ask(probe: Probe, signal: AbortSignal): Promise<void>
  tell(change: Partial<Probed>): void
  /** The process has ended. */
  readonly signal: AbortSignal
}

/** Probes a container as a kubelet does, until it has ended: first whether it has started, then whether it is ready and whether it lives. */
export async function watchProbes({ startupProbe, readinessProbe, livenessProbe }: Container, options: ProbesOptions): Promise<void> {
  if (startupProbe !== undefined && !(await hasStarted(startupProbe, options))) return
  options.tell({ started: true, ...(readinessProbe === undefined && { ready: true }) })
  await Promise.all([
    readinessProbe && repeat(readinessProbe, options, (ready, complaint) => options.tell({ ready, complaint })),
    livenessProbe && repeat(livenessProbe, options, (alive, complaint) => options.tell(alive ? {} : { alive, complaint })),
  ])
}

async function hasStarted(probe: Probe, options: ProbesOptions): Promise<boolean> {
  const over = new AbortController()
  let well = false
  await repeat(probe, { ...options, signal: AbortSignal.any([options.signal, over.signal]) }, (good, complaint) => {
    well = good
    if (!good) options.tell({ alive: false, complaint })
    over.abort()
  })
  return well
}

/** Tells whenever as many answers in a row as it takes were good, or bad. */
async function repeat(probe: Probe, options: ProbesOptions, verdict: (good: boolean, complaint?: string) => void): Promise<void> {
  const { clock, signal } = options
  const { initialDelaySeconds = 0, periodSeconds = 10, successThreshold = 1, failureThreshold = 3 } = probe
  let row = { good: true, count: 0 }
  let wait = initialDelaySeconds * 1000
  for (;;) {
    await clock.sleep(wait, { signal, name: "a probe" }).catch(() => undefined)
    if (signal.aborted) return
    wait = periodSeconds * 1000
    const complaint = await answerOf(probe, options)
    if (signal.aborted) return
    const good = complaint === undefined
    row = { good, count: row.good === good ? row.count + 1 : 1 }
    if (row.count >= (good ? successThreshold : failureThreshold)) verdict(good, complaint)
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
