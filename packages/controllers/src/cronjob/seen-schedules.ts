import type { CronJob } from "@pilothouse/api/batch/v1"

/**
 * Remembers the schedule of each CronJob, to notice when it becomes another one: a CronJob that ran yearly and is to run hourly must not begin
 * with the hour that is just over. After a restart nothing is known to be new, and what is due is started, as upstream does.
 *
 * Always true between calls: there is one entry for each CronJob that was looked at and is not gone.
 */
export class SeenSchedules {
  readonly #seen = new Map<string, string>()

  /** Whether the schedule was another one when this was last asked. */
  isNew(key: string, { metadata, spec }: CronJob): boolean {
    const before = this.#seen.get(key)
    const [uid, schedule] = [metadata.uid ?? "", `${spec.timeZone ?? ""} ${spec.schedule}`]
    this.#seen.set(key, `${uid} ${schedule}`)
    return before?.startsWith(`${uid} `) === true && before !== `${uid} ${schedule}`
  }

  forget(key: string): void {
    this.#seen.delete(key)
  }
}
