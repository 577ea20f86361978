import { keyOf } from "@pilothouse/api"
import type { CronJob } from "@pilothouse/api/batch/v1"
import { cronJobs } from "@pilothouse/api/batch/v1"
import { type CacheObserver, cacheObserver, type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"

/** Records that the schedule of this CronJob was reconciled: from now on it is not new. */
export interface RememberSchedule extends RememberOperation {
  readonly do: "remember-schedule"
  readonly key: string
  readonly schedule: string
}

/**
 * Remembers the schedule of each CronJob, to notice when it becomes another one: a CronJob that ran yearly and is to run hourly must not begin
 * with the hour that is just over. After a restart nothing is known to be new, and what is due is started, as upstream does.
 *
 * Invariant: there is one entry for each CronJob that exists, and none for one that is gone.
 */
export class SeenSchedules {
  /** Undefined: it has not been reconciled. */
  readonly #seen = new Map<string, string | undefined>()

  exists(key: string): void {
    if (!this.#seen.has(key)) this.#seen.set(key, undefined)
  }

  /** Whether the schedule was another one when it was last remembered, and what is to be remembered now, where that is not known already. */
  compare(key: string, cronJob: CronJob): { readonly newSchedule: boolean; readonly unseenSchedule?: string } {
    const before = this.#seen.get(key)
    const schedule = scheduleText(cronJob)
    if (before === schedule) return { newSchedule: false }
    return { newSchedule: before?.startsWith(`${cronJob.metadata.uid ?? ""} `) === true, unseenSchedule: schedule }
  }

  remember({ key, schedule }: Pick<RememberSchedule, "key" | "schedule">): void {
    // The reconcile may have been running when the CronJob was deleted.
    if (this.#seen.has(key)) this.#seen.set(key, schedule)
  }

  forget(key: string): void {
    this.#seen.delete(key)
  }

  restart(): void {
    this.#seen.clear()
  }
}

export function rememberSchedule(cronJob: CronJob, schedule: string): RememberSchedule {
  const key = keyOf(cronJob)
  return { do: "remember-schedule", to: `the CronJob ${key}`, reason: "a later change of the schedule is detected by it", key, schedule }
}

export function scheduleExecutor(seen: SeenSchedules): Executor {
  return remembers<RememberSchedule>("remember-schedule", (operation) => seen.remember(operation))
}

/** Adds new CronJobs and forgets deleted ones as the cache changes. */
export function observeSchedules(seen: SeenSchedules): CacheObserver {
  return cacheObserver(cronJobs, {
    restart: () => seen.restart(),
    changed: ({ type, object }) => {
      if (type === "deleted") seen.forget(keyOf(object))
      else seen.exists(keyOf(object))
    },
  })
}

function scheduleText({ metadata, spec }: CronJob): string {
  return `${metadata.uid ?? ""} ${spec.timeZone ?? ""} ${spec.schedule}`
}
