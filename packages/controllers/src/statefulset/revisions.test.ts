import type { ControllerRevision } from "@pilothouse/api/apps/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { isMember, ordinalIn } from "./ordinals.ts"
import {
  context,
  kubeOperationsOf,
  nameFor,
  observed,
  operationsOf,
  pod,
  pods,
  proposalFor,
  revision,
  statefulSet,
} from "./testing/objects.ts"

function history(...given: Parameters<typeof observed>) {
  return kubeOperationsOf(decide(observed(...given), context))
    .filter(({ object }) => object.kind === "ControllerRevision")
    .map((operation) => `${operation.do} ${operation.object.metadata.name} ${(operation.object as ControllerRevision).revision}`)
}

describe("the history of a set (StatefulSetControl_getSetRevisions)", () => {
  test("the first template is the first revision, and current at once", () => {
    const of = statefulSet(1, {
      metadata: { annotations: { cause: "new" } },
      status: { currentRevision: undefined, updateRevision: undefined },
    })
    const plan = decide(observed(of, { revisions: [] }), context)
    const [made] = operationsOf(plan)
    expect(made).toMatchObject({
      do: "create",
      object: {
        metadata: {
          name: nameFor(1),
          annotations: { cause: "new" },
          labels: { app: "web", "controller.kubernetes.io/hash": expect.any(String) },
        },
        revision: 1,
      },
    })
    expect(operationsOf(plan).at(-1)).toMatchObject({ status: { currentRevision: nameFor(1), updateRevision: nameFor(1) } })
  })

  test("a new template is one above the highest", () => {
    expect(history(statefulSet(0, { image: 3, current: 1 }), { revisions: [revision(1, 1), revision(2, 7)] })).toEqual([
      `create ${nameFor(3)} 8`,
    ])
  })

  test("a rollback makes an old revision the newest (StatefulSetControlRollback)", () => {
    expect(history(statefulSet(0, { image: 1, current: 2 }), { revisions: [revision(1, 1), revision(2, 2)] })).toEqual([
      `update ${nameFor(1)} 3`,
    ])
  })

  test("the newest one that says the same is left alone", () => {
    expect(history(statefulSet(0, { image: 2 }), { revisions: [revision(1, 1), revision(2, 2)] })).toEqual([])
  })

  test("an equal revision of the same name is used, whatever its owner", () => {
    const of = statefulSet(0)
    expect(history(of, { revisions: [], proposal: { ...proposalFor(of), existing: revision(1) } })).toEqual([])
  })

  test("a name that was taken is remembered in the status", () => {
    const of = statefulSet(0)
    const plan = decide(observed(of, { revisions: [], proposal: { ...proposalFor(of), collisionCount: 3 } }), context)
    expect(operationsOf(plan).at(-1)).toMatchObject({ do: "status", status: { collisionCount: 3 } })
  })

  test("beyond the limit the oldest go, but none that the set or a pod uses (StatefulSetControlLimitsHistory)", () => {
    const of = statefulSet(1, { image: 5, current: 4, spec: { revisionHistoryLimit: 1, updateStrategy: { type: "OnDelete" } } })
    const revisions = [5, 4, 3, 2, 1].map((image) => revision(image))
    expect(history(of, { pods: [pod(0, { image: 1 })], revisions })).toEqual([`delete ${nameFor(2)} 2`])
    expect(history(of, { pods: pods(1, { image: 5 }), revisions })).toEqual([`delete ${nameFor(1)} 1`, `delete ${nameFor(2)} 2`])
  })
})

describe("names and numbers (GetParentNameAndOrdinal, IsMemberOf)", () => {
  test.each([
    { name: "web-0", ordinal: 0 },
    { name: "web-42", ordinal: 42 },
    { name: "web-01", ordinal: undefined },
    { name: "web", ordinal: undefined },
    { name: "web-a", ordinal: undefined },
    { name: "web-99999999999", ordinal: undefined },
  ])("$name: $ordinal", ({ name, ordinal }) => {
    expect(ordinalIn(name)).toBe(ordinal)
  })

  test.each([
    { name: "web-3", expected: true },
    { name: "web-a-3", expected: false },
    { name: "db-3", expected: false },
    { name: "web-03", expected: false },
  ])("$name is a pod of web: $expected", ({ name, expected }) => {
    expect(isMember(statefulSet(1), { apiVersion: "v1", kind: "Pod", metadata: { name } })).toBe(expected)
  })
})
