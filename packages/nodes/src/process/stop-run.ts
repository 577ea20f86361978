import type { Clock } from "@pilothouse/seams"
import type { ProcessRun } from "./process-run.ts"
import { minGrace } from "./stop-processes.ts"

/** The hook of its container, then SIGTERM, once; of several moments for SIGKILL the first one counts. */
export function stopRun(run: ProcessRun, killAt: number, clock: Clock): void {
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
  const least = run.beforeStop === undefined ? clock.now() : run.terminatedAt! + minGrace
  if (least > clock.now()) at(least, run, clock, () => run.signal("SIGKILL"))
  else run.signal("SIGKILL")
}

function at(moment: number, run: ProcessRun, clock: Clock, act: () => void): void {
  const timer = clock.timer(Math.max(moment - clock.now(), 0), "a process is killed", act)
  run.over.signal.addEventListener("abort", () => timer[Symbol.dispose](), { once: true })
}
