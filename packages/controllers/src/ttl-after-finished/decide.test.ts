import type { Job } from "@pilothouse/api/batch/v1"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decide } from "./controller.ts"

const now = Date.parse("2026-01-05T12:00:00Z")

interface Facts {
  readonly ttl?: number
  readonly ended?: string | null
  readonly type?: "Complete" | "Failed"
  readonly status?: "True" | "False"
  readonly deleting?: boolean
}

function job({ ttl, ended, type = "Complete", status = "True", deleting }: Facts): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "work",
      namespace: "default",
      uid: "job-1",
      resourceVersion: "7",
      ...(deleting && { deletionTimestamp: "2026-01-05T11:00:00Z" }),
    },
    spec: { template: {}, ttlSecondsAfterFinished: ttl },
    ...(ended !== undefined && { status: { conditions: [{ type, status, lastTransitionTime: ended ?? undefined }] } }),
  }
}

function outcome(facts: Facts): string {
  const plan = decide({ job: job(facts) }, { now, random: seededRandom(1) })
  if (plan.steps.length > 0) return "deleted"
  return plan.requeue === undefined ? "left" : `looked at again in ${Number(plan.requeue.after) / 1000} s`
}

/** The cases of upstream's TestTimeLeft, and those around it. */
describe("a Job", () => {
  test.each<[string, Facts, string]>([
    ["Error case: Job unfinished", { ttl: 100 }, "left"],
    ["Error case: Job completed now, no TTL", { ended: "2026-01-05T12:00:00Z" }, "left"],
    ["Job completed now, 0s TTL", { ttl: 0, ended: "2026-01-05T12:00:00Z" }, "deleted"],
    ["Job completed now, 10s TTL", { ttl: 10, ended: "2026-01-05T12:00:00Z" }, "looked at again in 10 s"],
    ["Job completed 10s ago, 15s TTL", { ttl: 15, ended: "2026-01-05T11:59:50Z" }, "looked at again in 5 s"],
    ["Job completed 20s ago, 15s TTL", { ttl: 15, ended: "2026-01-05T11:59:40Z" }, "deleted"],
    ["Job failed now, 0s TTL", { ttl: 0, type: "Failed", ended: "2026-01-05T12:00:00Z" }, "deleted"],
    ["Job failed now, 10s TTL", { ttl: 10, type: "Failed", ended: "2026-01-05T12:00:00Z" }, "looked at again in 10 s"],
    ["finished in the future, by a clock that goes wrong", { ttl: 0, ended: "2026-01-05T12:00:30Z" }, "looked at again in 30 s"],
    ["that did not complete after all", { ttl: 0, status: "False", ended: "2026-01-05T12:00:00Z" }, "left"],
    ["that does not say when it ended", { ttl: 0, ended: null }, "left"],
    ["that is being deleted", { ttl: 0, ended: "2026-01-05T11:00:00Z", deleting: true }, "left"],
  ])("%s", (_name, facts, expected) => {
    expect(outcome(facts)).toBe(expected)
  })
})

test("it goes with its pods, and only as it was seen", () => {
  const plan = decide({ job: job({ ttl: 0, ended: "2026-01-05T12:00:00Z" }) }, { now, random: seededRandom(1) })
  expect(plan.steps[0]?.operations[0]).toMatchObject({
    do: "delete",
    options: { propagationPolicy: "Foreground", preconditions: { uid: "job-1", resourceVersion: "7" } },
  })
})
