import type { CronJob } from "@pilothouse/api/batch/v1"
import { expect, test } from "vitest"
import { observeSchedules, SeenSchedules } from "./seen-schedules.ts"

const object = { metadata: { name: "backup", namespace: "default", uid: "u1" }, spec: { schedule: "@daily" } } as CronJob
const key = "default/backup"

/** The first reconcile of the CronJob, up to what it remembers. */
function looked(seen: SeenSchedules): () => void {
  const { unseenSchedule = "" } = seen.compare(key, object)
  return () => seen.remember({ key, schedule: unseenSchedule })
}

test("a schedule is known until its CronJob is deleted, or the cache restarts", () => {
  const seen = new SeenSchedules()
  const follower = observeSchedules(seen)
  const isKnown = () => seen.compare(key, object).unseenSchedule === undefined
  follower.changed({ type: "added", object })
  looked(seen)()
  follower.changed({ type: "updated", old: object, object })
  expect(isKnown()).toBe(true)
  follower.changed({ type: "deleted", object, finalStateUnknown: false })
  expect(isKnown()).toBe(false)
  follower.changed({ type: "added", object })
  looked(seen)()
  follower.restart()
  expect(isKnown()).toBe(false)
})

test("a reconcile that ran when its CronJob was deleted remembered it for ever", () => {
  const seen = new SeenSchedules()
  const follower = observeSchedules(seen)
  follower.changed({ type: "added", object })
  const remember = looked(seen)
  follower.changed({ type: "deleted", object, finalStateUnknown: false })
  remember()
  expect(seen.compare(key, object).unseenSchedule).toBeDefined()
})
