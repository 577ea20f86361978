import type { JobStatus } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Operation } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { type JobFacts, job, type PodFacts, pod, pods } from "./testing/jobs.ts"
import { conditionsOf, play } from "./testing/play.ts"

interface Row {
  readonly name: string
  readonly job?: JobFacts
  readonly pods: readonly Pod[]
  readonly refuse?: (operation: Operation) => boolean
  readonly patches: number
  /** Every status that is written: uncounted succeeded/failed, counted succeeded/failed. */
  readonly written: readonly string[]
}

const succeeded = (name: string, more: PodFacts = {}) => pod({ name, phase: "Succeeded", ...more })
const failed = (name: string, more: PodFacts = {}) => pod({ name, phase: "Failed", ...more })
const refused =
  (...names: readonly string[]) =>
  (operation: Operation) =>
    operation.do === "patch" && names.includes(operation.object.metadata.name ?? "")
const uncounted = (good: readonly string[], bad: readonly string[], more: JobStatus = {}): JobFacts => ({
  status: { uncountedTerminatedPods: { succeeded: good.map(uid), failed: bad.map(uid) }, ...more },
})

function uid(name: string): string {
  return `uid-${name}`
}

function words({ uncountedTerminatedPods: { succeeded: good = [], failed: bad = [] } = {}, ...status }: JobStatus): string {
  const short = (uids: readonly string[]) => (uids.length > 3 ? uids.length : uids.map((one) => one.slice(4)).join(","))
  return `${short(good)}/${short(bad)} → ${status.succeeded ?? 0}/${status.failed ?? 0}`
}

const failing = (more: JobStatus = {}): JobStatus => ({
  conditions: [{ type: "FailureTarget", status: "True", reason: "DeadlineExceeded", message: "" }],
  ...more,
})

/** Nothing but the counting happens: an active pod is one too many. The cases of upstream's TestTrackJobStatusAndRemoveFinalizers. */
const quiet: JobFacts = { parallelism: 0, completions: 1000, backoffLimit: 1000 }

describe("how pods get counted", () => {
  test.each<Row>([
    {
      name: "track finished pods",
      pods: [succeeded("a"), failed("b"), succeeded("c", { tracked: false }), failed("d", { tracked: false }), pod()],
      patches: 3,
      written: ["a/b → 0/0", "/ → 1/1"],
    },
    {
      name: "past and new finished pods",
      job: uncounted(["a", "e"], ["b", "f"], { succeeded: 2, failed: 3 }),
      pods: [succeeded("e"), failed("f"), succeeded("g"), failed("h")],
      patches: 4,
      written: ["e,g/f,h → 3/4", "/ → 5/6"],
    },
    {
      name: "noted before a crash, and still tracked: nothing has to be noted again",
      job: uncounted(["a"], ["b"]),
      pods: [succeeded("a"), failed("b")],
      patches: 2,
      written: ["/ → 1/1"],
    },
    {
      name: "recorded and released before a crash: only counted",
      job: uncounted(["a"], ["b"]),
      pods: [succeeded("a", { tracked: false })],
      patches: 0,
      written: ["/ → 1/1"],
    },
    {
      name: "deleted job",
      job: { deleting: true },
      pods: [succeeded("a"), failed("b"), pod()],
      patches: 3,
      written: ["a/b → 0/0", "/ → 1/1"],
    },
    {
      name: "pod patch errors",
      pods: [succeeded("a"), failed("b")],
      refuse: refused("a", "b"),
      patches: 0,
      written: ["a/b → 0/0", "a/b → 0/0"],
    },
    {
      name: "pod patch errors with partial success",
      job: uncounted(["a"], ["b"]),
      pods: [succeeded("a"), failed("b"), succeeded("c"), failed("d")],
      refuse: refused("b", "c"),
      patches: 2,
      written: ["a,c/b,d → 0/0", "c/b → 1/1"],
    },
    {
      name: "too many finished",
      job: uncounted([], ["x", "y"]),
      pods: [...pods(500, { phase: "Succeeded" }), failed("y")],
      patches: 499,
      written: ["499/y → 0/1", "/y → 499/1"],
    },
    {
      name: "pod flips from failed to succeeded",
      job: uncounted([], ["a", "b"], failing()),
      pods: [failed("a"), succeeded("b")],
      patches: 2,
      written: ["/ → 0/2"],
    },
    {
      name: "pod is terminating; counted as failed",
      job: { status: failing() },
      pods: [pod({ name: "a", deleting: true })],
      patches: 1,
      written: ["/a → 0/0", "/ → 0/1"],
    },
  ])("$name", ({ job: facts = {}, pods: its, refuse, patches, written }) => {
    const played = play(job({ ...quiet, ...facts }), its, { refuse })
    expect(played.patches).toBe(patches)
    expect(played.written.map(words)).toEqual(written)
  })
})

describe("a Job does not end before", () => {
  const ended = ["FailureTarget DeadlineExceeded", "Failed DeadlineExceeded"]
  test.each<[string, JobFacts, readonly Pod[], readonly string[]]>([
    [
      "its terminating pods are gone (the JobFailed condition is delayed)",
      { status: failing() },
      [pod({ deleting: true })],
      ended.slice(0, 1),
    ],
    ["all are counted, of which there are more than 500", { status: failing() }, pods(501, { phase: "Failed" }), ended.slice(0, 1)],
    ["but then (pod is terminal; JobFailed condition is set)", { status: failing() }, [failed("a")], ended],
  ])("%s", (_name, facts, its, expected) => {
    expect(conditionsOf(play(job({ ...quiet, ...facts }), its).status)).toEqual(expected)
  })

  test("its finalizers are removed", () => {
    const { status } = play(job({ completions: 1 }), [succeeded("a")], { refuse: refused("a") })
    expect(conditionsOf(status)).toEqual(["SuccessCriteriaMet CompletionsReached"])
  })

  test("its active pods are deleted", () => {
    const refuse = (operation: Operation) => operation.do === "delete"
    const { status, patches } = play(job({ ...quiet, status: failing() }), [pod()], { refuse })
    expect(patches).toBe(0)
    expect(conditionsOf(status)).toEqual(["FailureTarget DeadlineExceeded"])
  })
})

describe("an Indexed Job", () => {
  const indexed = { ...quiet, completionMode: "Indexed", completions: 7 } as const
  test("indexed job past and new pods", () => {
    const its = [
      succeeded("old", { index: 0, tracked: false }),
      failed("older", { index: 1, tracked: false }),
      succeeded("again", { index: 1 }),
      succeeded("new", { index: 3 }),
      failed("a", { index: 2 }),
      failed("b", { index: 5 }),
    ]
    const { written, patches } = play(job({ ...indexed, status: { failed: 2, succeeded: 5, completedIndexes: "0-2,4,6,7" } }), its)
    expect(patches).toBe(4)
    expect(written.map(words)).toEqual(["/a,b → 6/2", "/ → 6/4"])
    expect(written.at(-1)?.completedIndexes).toBe("0-4,6")
  })

  test("indexed job prev successful pods outside current completions index range with no new succeeded pods", () => {
    const { status } = play(job({ ...indexed, parallelism: 2, completions: 2, status: { succeeded: 1, completedIndexes: "3" } }), [
      pod({ index: 0 }),
      pod({ index: 1 }),
    ])
    expect([status.succeeded, status.completedIndexes]).toEqual([undefined, undefined])
  })

  test("too many indexed finished", () => {
    const its = Array.from({ length: 501 }, (_, index) => pod({ index, phase: "Succeeded" }))
    const { status, patches } = play(job({ ...indexed, completions: 501 }), its)
    expect(patches).toBe(500)
    expect([status.succeeded, status.completedIndexes, conditionsOf(status)]).toEqual([
      501,
      "0-500",
      ["SuccessCriteriaMet CompletionsReached"],
    ])
  })
})
