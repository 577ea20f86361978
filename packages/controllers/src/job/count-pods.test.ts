import { jobs } from "@pilothouse/api/batch/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { expect, test, vi } from "vitest"
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

test("finished indexes are parsed once where they changed, and not at all where they did not", () => {
  const metrics = memoryMetrics()
  const [before, after] = ["0,2,4", "0,2,4,6"]
  const made = job({ completions: 10, completionMode: "Indexed" })
  const recorded = (completedIndexes: string) => {
    const observed = { work: { job: { ...made, status: { completedIndexes: before } }, pods: [], claims: [] } }
    const operation = { do: "status", object: made, status: { completedIndexes }, reason: "" }
    using parsed = vi.spyOn(String.prototype, "split")
    jobMetrics(metrics).recordReconcile("default/job", { observed, results: [{ operation, ok: true }], milliseconds: 1 } as never)
    return parsed.mock.contexts.filter((text) => text === before || text === after).length
  }
  expect(recorded(before)).toBe(0)
  expect(recorded(after)).toBe(2)
  expect(metrics.value("job_controller_job_pods_finished_total", { completion_mode: "Indexed", result: "succeeded" })).toBe(1)
})
