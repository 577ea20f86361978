import { describe, expect, test } from "vitest"
import { job } from "../testing/jobs.ts"
import { newIndexedPod, newPod } from "./new-pod.ts"

const index = "batch.kubernetes.io/job-completion-index"
const named = (name: string) => ({ ...job(), metadata: { ...job().metadata, name } })

test("a pod is tracked, and its Job's", () => {
  expect(newPod(job()).metadata).toMatchObject({
    generateName: "work-",
    finalizers: ["batch.kubernetes.io/job-tracking"],
    ownerReferences: [{ kind: "Job", name: "work", uid: "job-1", controller: true, blockOwnerDeletion: true }],
  })
})

test("a pod of an index knows it by label, annotation, hostname and environment", () => {
  const { metadata, spec } = newIndexedPod(job(), 3, undefined)
  expect(metadata).toMatchObject({ generateName: "work-3-", labels: { job: "work", [index]: "3" }, annotations: { [index]: "3" } })
  expect(spec?.hostname).toBe("work-3")
  expect(spec?.containers[0]?.env).toEqual([
    { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } } },
  ])
})

test("what the user says of the environment stays", () => {
  const own = [{ name: "JOB_COMPLETION_INDEX", value: "mine" }]
  const of = job()
  const template = { ...of.spec!.template, spec: { containers: [{ name: "main", env: own }], initContainers: [{ name: "init" }] } }
  const { spec } = newIndexedPod({ ...of, spec: { ...of.spec, template } }, 0, undefined)
  expect(spec?.containers[0]?.env).toEqual(own)
  expect(spec?.initContainers?.[0]?.env).toHaveLength(1)
})

describe("the prefix of the name (upstream's TestPodGenerateNameWithIndex)", () => {
  test.each([
    ["short job name", "indexed-job", 1, "indexed-job-1-"],
    ["job name exceeds MaxGeneneratedNameLength", "hoo".repeat(24), 1, `${"hoo".repeat(24).slice(0, 55)}-1-`],
    ["job name with index suffix exceeds MaxGeneratedNameLength", "hoo".repeat(19), 1, `${"hoo".repeat(19).slice(0, 55)}-1-`],
  ])("%s", (_name, name, at, expected) => {
    expect(newIndexedPod(named(name), at, undefined).metadata.generateName).toBe(expected)
  })
})
