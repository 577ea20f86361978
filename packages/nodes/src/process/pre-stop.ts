import { secondsInMilliseconds } from "@pilothouse/api"
import type { LifecycleHandler } from "@pilothouse/api/core/v1"
import type { Clock } from "@pilothouse/seams"
import { type AskProbeOptions, askProbe } from "./ask-probe.ts"
import type { SpawnProcess } from "./spawn.ts"

/** Does what a container is to do before SIGTERM, until its process has ended. Whether it succeeds changes nothing: the process has to stop. */
export async function preStop(handler: LifecycleHandler, clock: Clock, options: AskProbeOptions, signal: AbortSignal): Promise<void> {
  await workOf(handler, clock, options, signal).catch(() => undefined)
}

function workOf(handler: LifecycleHandler, clock: Clock, options: AskProbeOptions, signal: AbortSignal): Promise<void> {
  const { sleep, exec } = handler
  if (sleep !== undefined) return clock.sleep(secondsInMilliseconds(sleep.seconds), { signal, name: "a preStop hook" })
  if (exec === undefined) return clock.external(askProbe(handler, options, signal), "a preStop hook")
  // Only its start: while virtual time waited for its end, the grace that is to cut it off would never be over.
  const spawn: SpawnProcess = (call, listener) => clock.external(options.spawn(call, listener), "a preStop hook starts")
  return askProbe(handler, { ...options, spawn }, signal)
}
