import { jobs } from "@pilothouse/api/batch/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { jobMetrics, podAndJobObservers } from "./metrics.ts"
import { job } from "./testing/jobs.ts"

test("each name in managedBy made a series that lasted: a hundred are counted by name, the rest together", () => {
  const metrics = memoryMetrics()
  const ofJobs = podAndJobObservers(jobMetrics(metrics)).find(({ of }) => of === jobs)!
  const made = (number: number, managedBy: string) => {
    const object = { ...job({ managedBy }), metadata: { name: `job-${number}`, namespace: "default", uid: String(number) } }
    ofJobs.changed({ type: "added", object })
    ofJobs.changed({ type: "deleted", object, finalStateUnknown: false })
  }
  for (let number = 0; number < 500; number++) made(number, `example.com/x${number}`)
  made(500, "example.com/x7")
  const counted = (controller_name: string) => metrics.value("job_controller_jobs_by_external_controller_total", { controller_name })
  expect([counted("example.com/x7"), counted("example.com/x99"), counted("example.com/x100"), counted("other")]).toEqual([2, 1, 0, 400])
  expect(metrics.text().match(/^job_controller_jobs_by_external_controller_total\{/gm)).toHaveLength(101)
})
