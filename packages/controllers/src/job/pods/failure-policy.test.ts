import type { PodFailurePolicyRule } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { exited, type JobFacts, job, pod, running } from "../testing/jobs.ts"
import { conditionsOf, play } from "../testing/play.ts"
import { judgeFailure, type Verdict } from "./failure-policy.ts"

const of1 = exited("main", 1)
const disrupted = (status: "True" | "False" | "Unknown") => pod({ phase: "Failed", conditions: [{ type: "DisruptionTarget", status }] })
const failed = (...containers: readonly ReturnType<typeof exited>[]) => pod({ name: "p", phase: "Failed", containers })
const codes = (action: string, operator: string, values: readonly number[], containerName?: string) =>
  ({ action, onExitCodes: { operator, values, containerName } }) as PodFailurePolicyRule
const conditions = (action: string, status?: string) =>
  ({ action, onPodConditions: [{ type: "DisruptionTarget", status }] }) as PodFailurePolicyRule
const counted: Verdict = { counts: true }

interface Row {
  readonly name: string
  readonly rules: readonly PodFailurePolicyRule[]
  readonly pod: Pod
  readonly expected: Verdict
}

describe("what a failure means (upstream's TestMatchPodFailurePolicy)", () => {
  test.each<Row>([
    {
      name: "unknown action for rule matching by exit codes - skip rule with unknown action",
      rules: [codes("Retire", "In", [1]), codes("FailIndex", "In", [1])],
      pod: failed(of1),
      expected: { action: "FailIndex", counts: true },
    },
    {
      name: "unknown action for rule matching by pod conditions - skip rule with unknown action",
      rules: [conditions("Retire"), conditions("Ignore")],
      pod: disrupted("True"),
      expected: { action: "Ignore", counts: false },
    },
    {
      name: "unknown operator - rule with unknown action is skipped for onExitCodes",
      rules: [codes("Ignore", "Near", [1]), codes("FailIndex", "In", [1])],
      pod: failed(of1),
      expected: { action: "FailIndex", counts: true },
    },
    { name: "no policy rules", rules: [], pod: failed(of1), expected: counted },
    {
      name: "ignore rule matched for exit codes",
      rules: [codes("Ignore", "In", [1, 2])],
      pod: failed(exited("main", 2)),
      expected: { action: "Ignore", counts: false },
    },
    {
      name: "ignore rule matched on negative exit codes - needed for Windows support",
      rules: [codes("Ignore", "In", [-1073741510])],
      pod: failed(exited("main", -1073741510)),
      expected: { action: "Ignore", counts: false },
    },
    {
      name: "FailJob rule matched for exit codes",
      rules: [codes("FailJob", "In", [1])],
      pod: failed(of1),
      expected: {
        action: "FailJob",
        counts: true,
        message: "Container main for pod default/p failed with exit code 1 matching FailJob rule at index 0",
      },
    },
    {
      name: "successful containers are skipped by the rules",
      rules: [codes("Ignore", "NotIn", [111]), codes("FailIndex", "In", [111])],
      pod: failed(exited("side", 0), exited("main", 111)),
      expected: { action: "FailIndex", counts: true },
    },
    {
      name: "pod failure policy with NotIn operator and value 0",
      rules: [codes("FailIndex", "NotIn", [0])],
      pod: failed(exited("main", 1)),
      expected: { action: "FailIndex", counts: true },
    },
    {
      name: "second jobfail rule matched for exit codes",
      rules: [codes("FailJob", "In", [1, 2]), codes("FailJob", "In", [4, 5])],
      pod: failed(exited("main", 5)),
      expected: {
        action: "FailJob",
        counts: true,
        message: "Container main for pod default/p failed with exit code 5 matching FailJob rule at index 1",
      },
    },
    {
      name: "count rule matched for exit codes",
      rules: [codes("Count", "In", [1])],
      pod: failed(of1),
      expected: { action: "Count", counts: true },
    },
    {
      name: "FailIndex rule matched for pod conditions",
      rules: [conditions("FailIndex", "True")],
      pod: disrupted("True"),
      expected: { action: "FailIndex", counts: true },
    },
    {
      name: "ignore rule matches by the status=False",
      rules: [conditions("Ignore", "False")],
      pod: disrupted("False"),
      expected: { action: "Ignore", counts: false },
    },
    {
      name: "ignore rule matches by the status=Unknown",
      rules: [conditions("Ignore", "Unknown")],
      pod: disrupted("Unknown"),
      expected: { action: "Ignore", counts: false },
    },
    {
      name: "ignore rule does not match when status for pattern is False, but actual True",
      rules: [conditions("Ignore", "False")],
      pod: disrupted("True"),
      expected: counted,
    },
    {
      name: "ignore rule does not match when status for pattern is True, but actual False",
      rules: [conditions("Ignore", "True")],
      pod: disrupted("False"),
      expected: counted,
    },
    {
      name: "default - do not match condition with status=False",
      rules: [conditions("Ignore")],
      pod: disrupted("False"),
      expected: counted,
    },
    { name: "no rule matched", rules: [codes("Ignore", "In", [7]), conditions("Ignore")], pod: failed(of1), expected: counted },
    {
      name: "a container that still runs has no exit code",
      rules: [codes("Ignore", "NotIn", [5])],
      pod: pod({ phase: "Failed", containers: [running("main")] }),
      expected: counted,
    },
    {
      name: "another container than the one that is named",
      rules: [codes("Ignore", "In", [1], "side")],
      pod: failed(of1),
      expected: counted,
    },
  ])("$name", ({ rules, pod: of, expected }) => {
    expect(judgeFailure(job({ podFailurePolicy: { rules } }), of)).toEqual(expected)
  })
})

interface JobRow {
  readonly name: string
  readonly job: JobFacts
  readonly pods: readonly Pod[]
  readonly failed: number
  readonly conditions?: readonly string[]
  readonly message?: string
  readonly active?: number
}

const failJob5 = { rules: [codes("FailJob", "In", [5])] }
const exit5 = { name: "bad", phase: "Failed", exitCode: 5 } as const
const failedBy = (reason: string) => [`FailureTarget ${reason}`, `Failed ${reason}`]
const marked = { conditions: [{ type: "FailureTarget", status: "True", reason: "PodFailurePolicy", message: "said before" }] }

describe("a Job with a pod failure policy (upstream's TestSyncJobWithJobPodFailurePolicy)", () => {
  test.each<JobRow>([
    {
      name: "default handling for pod failure if the container matching the exit codes does not match the containerName restriction",
      job: { completions: 1, podFailurePolicy: { rules: [codes("FailJob", "In", [5], "other")] } },
      pods: [pod(exit5)],
      failed: 1,
      active: 1,
    },
    {
      name: "running pod should not result in job fail based on OnExitCodes",
      job: { completions: 1, podFailurePolicy: failJob5 },
      pods: [pod({ containers: [exited("main", 5)] })],
      failed: 0,
      active: 1,
    },
    {
      name: "fail job based on OnExitCodes",
      job: { completions: 1, podFailurePolicy: failJob5 },
      pods: [pod(exit5)],
      failed: 1,
      conditions: failedBy("PodFailurePolicy"),
      message: "Container main for pod default/bad failed with exit code 5 matching FailJob rule at index 0",
    },
    {
      name: "job marked already as failure target with failed pod, message based on already deleted pod",
      job: { completions: 1, podFailurePolicy: failJob5, status: marked },
      pods: [pod(exit5)],
      failed: 1,
      conditions: failedBy("PodFailurePolicy"),
      message: "said before",
    },
    {
      name: "fail job with multiple pods",
      job: { parallelism: 2, completions: 2, podFailurePolicy: failJob5 },
      pods: [pod(exit5), pod()],
      failed: 2,
      conditions: ["FailureTarget PodFailurePolicy"],
    },
    {
      name: "fail indexed job based on OnExitCodes",
      job: { completions: 1, completionMode: "Indexed", podFailurePolicy: failJob5 },
      pods: [pod({ ...exit5, index: 0 })],
      failed: 1,
      conditions: failedBy("PodFailurePolicy"),
    },
    {
      name: "fail job based on OnExitCodes for InitContainer",
      job: { completions: 1, podFailurePolicy: failJob5 },
      pods: [pod({ name: "bad", phase: "Failed", containers: [exited("main", 1)], initContainers: [exited("init", 5)] })],
      failed: 1,
      conditions: failedBy("PodFailurePolicy"),
      message: "Container init for pod default/bad failed with exit code 5 matching FailJob rule at index 0",
    },
    {
      name: "ignore pod failure; both rules are matching, the first is executed only",
      job: { completions: 1, backoffLimit: 0, podFailurePolicy: { rules: [codes("Ignore", "In", [5]), codes("FailJob", "In", [5])] } },
      pods: [pod(exit5)],
      failed: 0,
      active: 1,
    },
    {
      name: "count pod failure based on OnExitCodes; both rules are matching, the first is executed only",
      job: { completions: 1, backoffLimit: 0, podFailurePolicy: { rules: [codes("Count", "In", [5]), codes("Ignore", "In", [5])] } },
      pods: [pod(exit5)],
      failed: 1,
      conditions: failedBy("BackoffLimitExceeded"),
    },
    {
      name: "default job based on OnExitCodes",
      job: { completions: 1, backoffLimit: 0, podFailurePolicy: failJob5 },
      pods: [pod({ phase: "Failed", exitCode: 10 })],
      failed: 1,
      conditions: failedBy("BackoffLimitExceeded"),
    },
    {
      name: "fail job based on OnPodConditions",
      job: { completions: 1, podFailurePolicy: { rules: [conditions("FailJob", "True")] } },
      pods: [disrupted("True")],
      failed: 1,
      conditions: failedBy("PodFailurePolicy"),
    },
    {
      name: "terminating Pod not considered failed when JobPodFailurePolicy is used",
      job: { completions: 1, podFailurePolicy: failJob5 },
      pods: [pod({ deleting: true })],
      failed: 0,
    },
  ])("$name", ({ job: facts, pods, ...expected }) => {
    const { status } = play(job(facts), pods)
    expect(conditionsOf(status)).toEqual(expected.conditions ?? [])
    expect([status.failed ?? 0, status.active ?? 0]).toEqual([expected.failed, expected.active ?? 0])
    if (expected.message !== undefined) expect(status.conditions?.map(({ message }) => message)).toContain(expected.message)
  })

  test("why the Job fails is written before the pod that shows it may go", () => {
    const { operations } = play(job({ completions: 1, podFailurePolicy: failJob5 }), [pod(exit5)])
    expect(operations.map((operation) => operation.do)).toEqual(["status", "patch", "status"])
    expect(operations[0]).toMatchObject({ status: { conditions: [{ type: "FailureTarget", reason: "PodFailurePolicy" }] } })
  })

  test("ignore pod failure based on OnPodConditions, ignored failures delays pod recreation", () => {
    const facts = { completions: 1, podFailurePolicy: { rules: [conditions("Ignore")] } }
    const { creates, status } = play(job(facts), [disrupted("True")], { failures: { count: 1, last: Date.parse("2026-01-05T12:00:00Z") } })
    expect({ creates, failed: status.failed }).toEqual({ creates: 0, failed: undefined })
  })
})
