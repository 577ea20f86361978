import type { LifecycleHandler } from "@pilothouse/api/core/v1"
import type { Clock } from "@pilothouse/seams"
import { type AskProbeOptions, askProbe } from "./ask-probe.ts"

/** Does what a container is to do before SIGTERM, until its process has ended. Whether it succeeds changes nothing: the process has to stop. */
export async function preStop(handler: LifecycleHandler, clock: Clock, options: AskProbeOptions, signal: AbortSignal): Promise<void> {
  const { sleep } = handler
  const work =
    sleep === undefined
      ? clock.external(askProbe(handler, options, signal), "a preStop hook")
      : clock.sleep(sleep.seconds * 1000, { signal, name: "a preStop hook" })
  await work.catch(() => undefined)
}
