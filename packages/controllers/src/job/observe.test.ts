import type { KubeObject } from "@pilothouse/api"
import { type Job, jobs } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { type Observed, observe } from "./observe.ts"
import { FailureMemory } from "./pods/backoff.ts"
import { at, job, pod } from "./testing/jobs.ts"

/** Caches with these Jobs and pods; `live` is what the server says of the Job. */
function reader(its: readonly Job[], pods: readonly Pod[], live: Job | undefined): Reader & { asked: number } {
  const all = (kind: string): readonly KubeObject[] => (kind === "Job" ? its : pods)
  const caches: Pick<Reader, "get" | "byIndex" | "live"> & { asked: number } = {
    asked: 0,
    get: (of, key) => all(of.kind).find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key) as never,
    byIndex: (by, value) => all(by.of.kind).filter((object) => by.values(object as never).includes(value)) as never,
    async live() {
      this.asked++
      return live as never
    },
  }
  // What is not here is not read.
  return caches as Reader & { asked: number }
}

function look(key: string, its: readonly Job[], pods: readonly Pod[], live = its[0]): Promise<Observed | undefined> {
  return observe(key, reader(its, pods, live), new FailureMemory())
}

const finished = job({ status: { conditions: [{ type: "Complete", status: "True" }] } })
const external = job({ managedBy: "example.com/other" })
const owned = (reference: Partial<NonNullable<Pod["metadata"]["ownerReferences"]>[number]>) => {
  const of = pod({ name: "p" })
  const [first] = of.metadata.ownerReferences ?? []
  return { ...of, metadata: { ...of.metadata, ownerReferences: [{ ...first!, ...reference }] } }
}
const orphan = (metadata: Partial<Pod["metadata"]> = {}) => {
  const of = pod({ name: "p" })
  return { ...of, metadata: { ...of.metadata, ownerReferences: undefined, ...metadata } }
}

interface Row {
  readonly name: string
  readonly key?: string
  readonly jobs: readonly Job[]
  readonly pod: Pod
  readonly isOrphan: boolean
}

describe("tracked pods that no Job counts (upstream's TestSyncOrphanPod)", () => {
  test.each<Row>([
    { name: "controlled_by_existing_running_job", jobs: [job()], pod: owned({}), isOrphan: false },
    { name: "controlled_by_existing_finished_job", jobs: [finished], pod: owned({}), isOrphan: true },
    { name: "controlled_by_non_existing_job", jobs: [], pod: owned({}), isOrphan: true },
    { name: "controlled_by_cronjob", jobs: [], pod: owned({ kind: "CronJob" }), isOrphan: false },
    { name: "controlled_by_custom_crd", jobs: [], pod: owned({ apiVersion: "example.com/v1" }), isOrphan: false },
    { name: "not_controlled", key: "default/-", jobs: [], pod: orphan(), isOrphan: true },
    {
      name: "owned_by_existing_running_job, and not controlled: it adopts it",
      key: "default/-",
      jobs: [job()],
      pod: orphan(),
      isOrphan: false,
    },
    { name: "not controlled, and the Job that selects it has ended", key: "default/-", jobs: [finished], pod: orphan(), isOrphan: true },
    {
      name: "not controlled, and being deleted",
      key: "default/-",
      jobs: [job()],
      pod: orphan({ deletionTimestamp: at(0) }),
      isOrphan: true,
    },
    { name: "controlled by an earlier Job of that name", jobs: [job()], pod: owned({ uid: "job-0" }), isOrphan: true },
    { name: "of a Job that another controller manages", jobs: [external], pod: owned({}), isOrphan: false },
    {
      name: "of an earlier Job, where another controller manages this one",
      jobs: [external],
      pod: owned({ uid: "job-0" }),
      isOrphan: true,
    },
    { name: "not tracked", jobs: [], pod: { ...owned({}), metadata: { ...owned({}).metadata, finalizers: [] } }, isOrphan: false },
  ])("$name", async ({ key = "default/work", jobs: its, pod: of, isOrphan }) => {
    const observed = await look(key, its, [of])
    expect(observed?.orphans.map(({ metadata }) => metadata.name)).toEqual(isOrphan ? ["p"] : [])
  })

  test("a pod that is seen before its Job is no orphan: the Job is read from the API server", async () => {
    expect((await look("default/work", [], [owned({})], job()))?.orphans).toEqual([])
  })
})

describe("the pods of a Job (upstream's TestGetPodsForJob)", () => {
  const deletingJob = job({ deleting: true })
  test.each<[string, Job, Pod, Job | undefined, string]>([
    ["only matching", job(), owned({}), undefined, "own, 0 claims"],
    ["adopt", job(), orphan(), job(), "own, 1 claims"],
    ["no adopt when deleting", deletingJob, orphan(), deletingJob, "none, 0 claims"],
    ["no adopt when deleting race", job(), orphan(), deletingJob, "none, 0 claims"],
    ["no adopt when the Job is gone", job(), orphan(), undefined, "none, 0 claims"],
    ["release", job(), { ...owned({}), metadata: { ...owned({}).metadata, labels: { job: "other" } } }, undefined, "none, 1 claims"],
    ["of another owner", job(), owned({ uid: "job-9", name: "other" }), undefined, "none, 0 claims"],
  ])("%s", async (_name, of, its, live, expected) => {
    const { work } = (await observe("default/work", reader([of], [its], live), new FailureMemory()))!
    expect(`${work?.pods.length === 1 ? "own" : "none"}, ${work?.claims.length} claims`).toBe(expected)
  })

  test("an adopted pod is tracked, a released one is not", async () => {
    const adopted = (await look("default/work", [job()], [orphan({ finalizers: undefined })]))?.work?.claims
    expect(adopted).toMatchObject([{ patch: { metadata: { finalizers: ["batch.kubernetes.io/job-tracking"] } } }])
  })
})

describe("nothing is to be done about", () => {
  test.each([
    ["a Job that has ended", finished, "the Job has ended"],
    ["a Job that another controller manages", external, "example.com/other manages the Job"],
  ])("%s", async (_name, of, idleReason) => {
    expect(await look("default/work", [of], [])).toEqual({ orphans: [], idleReason })
  })

  test("but job with well known value of the managedBy", async () => {
    expect((await look("default/work", [job({ managedBy: "kubernetes.io/job-controller" })], []))?.work).toBeDefined()
  })
})

test("the server is asked only where a cache is not good enough", async () => {
  const quiet = reader([job()], [owned({})], job())
  await observe("default/work", quiet, new FailureMemory())
  expect(quiet.asked).toBe(0)
  expect(quiet.get(jobs, "default/work")).toBeDefined()
})
