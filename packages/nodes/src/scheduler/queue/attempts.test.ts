import type { Pod, PodSpec } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { isWaiting } from "../pod/waiting-pods.ts"
import { testPod } from "../testing/objects.ts"
import { Attempts, type NoteRefusal } from "./attempts.ts"
import type { FilterName } from "./filter-name.ts"

function refusal(name: string, ...by: readonly FilterName[]): NoteRefusal {
  return { do: "note-refusal", to: `default/${name}`, reason: "a test", uid: `default-${name}`, priority: 0, by, at: 0 }
}

function waiting(...names: readonly string[]): Attempts {
  const attempts = new Attempts()
  for (const name of names) attempts.podChanged({ type: "added", object: testPod(name) })
  return attempts
}

describe("pods that were refused", () => {
  test("are found by who refused them, each once", () => {
    const attempts = waiting("a", "b", "c")
    attempts.note(refusal("a", "resources", "taints"))
    attempts.note(refusal("b", "taints"))
    expect(attempts.refusedBy(["resources", "taints"])).toEqual(["default/a", "default/b"])
    expect(attempts.refusedBy(["hostPorts"])).toEqual([])
    expect([attempts.refusedBy([]), attempts.untried]).toEqual([["default/a", "default/b"], 1])
  })

  test("of those that wake together the most important was not the first: one that came before it took its place", () => {
    const attempts = waiting("a", "b", "c", "d")
    for (const [name, priority] of Object.entries({ a: 1, b: 5, c: 9, d: 9 }))
      attempts.note({ ...refusal(name, "resources", "taints"), priority })
    const expected = ["default/c", "default/a", "default/b", "default/d"]
    expect([attempts.refusedBy(["taints", "resources"]), attempts.refusedBy([])]).toEqual([expected, expected])
  })

  test("are known by their last try, and how many there were", () => {
    const attempts = waiting("a")
    attempts.note(refusal("a", "resources"))
    attempts.note(refusal("a", "taints"))
    expect([attempts.refusedBy(["resources"]), attempts.refusedBy(["taints"])]).toEqual([[], ["default/a"]])
    expect(attempts.of("default-a")?.count).toBe(2)
  })

  test.each([
    ["have a node", { type: "updated", old: testPod("a"), object: testPod("a", { on: "n" }) }],
    ["are gone", { type: "deleted", object: testPod("a"), finalStateUnknown: false }],
  ] as const)("are forgotten when they %s", (_what, change) => {
    const attempts = waiting("a")
    attempts.note(refusal("a", "resources"))
    attempts.podChanged(change)
    attempts.note(refusal("a", "resources"))
    expect([attempts.refusedBy([]), attempts.refusedBy(["resources"]), attempts.untried]).toEqual([[], [], 0])
  })
})

describe("who waits for this scheduler", () => {
  const of = (spec: Partial<PodSpec>) => testPod("p", { spec })
  const rows: readonly (readonly [string, Pod, boolean])[] = [
    ["a pod without a node", testPod("p"), true],
    ["of the default scheduler by name", of({ schedulerName: "default-scheduler" }), true],
    ["not of another one", of({ schedulerName: "mine" }), false],
    ["not one that has a node", of({ nodeName: "n" }), false],
    ["not behind a gate", of({ schedulingGates: [{ name: "g" }] }), false],
    ["once all gates are gone", of({ schedulingGates: [] }), true],
    ["not on its way out", testPod("p", { deleting: true }), false],
    ["not one that has ended", { ...testPod("p"), status: { phase: "Failed" } }, false],
  ]
  test.each(rows)("%s", (_what, pod, expected) => expect(isWaiting(pod)).toBe(expected))
})
