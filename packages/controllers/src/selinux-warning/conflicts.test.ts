import { expect, test } from "vitest"
import { type Conflict, conflictsBetween, differ, messageOf } from "./conflicts.ts"
import { LabeledVolumes } from "./memory.ts"
import type { ChangePolicy, LabeledVolume } from "./volumes.ts"

test.each<[a: string, b: string, expected: boolean]>([
  ["", "", false],
  ["u:r:t:s0", "u:r:t:s0", false],
  ["u:r:t:s0", "::t:s0", false],
  ["u:r:t:s0", ":::s0", false],
  ["u:r:t:s0:c1,c2", ":::s0:c1,c2", false],
  ["u:r:t:s0", "v:r:t:s0", true],
  ["u:r:t:s0", "u:q:t:s0", true],
  ["u:r:t:s0", "u:r:x:s0", true],
  ["u:r:t:s0:c1,c2", ":::s0:c98,c99", true],
  [":::s0:c1,c2", "", true],
  ["u:r:t:s0", "u:r:t:", true],
  ["u:r:t:", "", false],
])("whether %s and %s differ, either way", (a, b, expected) => {
  expect([differ(a, b), differ(b, a)]).toEqual([expected, expected])
})

const end = "If both pods land on the same node, only one of them may access the volume."
const conflict: Conflict = { property: "SELinuxLabel", pod: "a/one", value: ":::s0", other: "a/two", otherValue: ":::s1" }

test.each<[what: string, conflict: Conflict, message: string]>([
  [
    "a pod of the same namespace by name",
    conflict,
    `SELinuxLabel ":::s0" conflicts with pod two that uses the same volume as this pod with SELinuxLabel ":::s1". ${end}`,
  ],
  [
    "no pod of another namespace, and without a blank, as upstream",
    { ...conflict, other: "b/two" },
    `SELinuxLabel":::s0" conflicts with another pod that uses the same volume as this pod with a different SELinuxLabel. ${end}`,
  ],
])("the message names %s", (_what, given, message) => {
  expect(messageOf(given)).toBe(message)
})

const volume = (label: string, policy: ChangePolicy = label === "" ? "Recursive" : "MountOption"): LabeledVolume => ({
  volume: "kubernetes.io/csi/d^1",
  driver: "d",
  label,
  policy,
})

test.each<[what: string, own: LabeledVolume, theirs: LabeledVolume, properties: readonly string[]]>([
  ["the same", volume(":::s0"), volume(":::s0"), []],
  ["two labels", volume(":::s0"), volume(":::s1"), ["SELinuxLabel", "SELinuxLabel"]],
  ["two pods without labels", volume(""), volume(""), []],
  ["two policies with labels that fit", volume("u:r:t:"), volume(""), ["SELinuxChangePolicy", "SELinuxChangePolicy"]],
])("%s: both pods get each conflict", (_what, own, theirs, properties) => {
  const found = conflictsBetween("a/one", own, "a/two", theirs)
  expect(found.map(({ property }) => property)).toEqual(properties)
  for (const [at, { pod, value, otherValue }] of found.entries()) {
    expect(pod).toBe(at % 2 === 0 ? "a/one" : "a/two")
    expect([value, otherValue]).toEqual([found[at ^ 1]?.otherValue, found[at ^ 1]?.value])
  }
})

test("the volumes of pods are forgotten with them, and found by their driver", () => {
  const memory = new LabeledVolumes()
  memory.keep("a/one", { labeled: [volume(":::s0")], ambiguous: [] })
  memory.keep("a/two", { labeled: [volume(":::s1")], ambiguous: [] })
  expect(memory.podsOfDriver("d")).toEqual(["a/one", "a/two"])
  expect(memory.conflictsOf("a/three", volume(":::s0")).map(({ pod }) => pod)).toEqual(["a/three", "a/two"])
  memory.keep("a/two", { labeled: [], ambiguous: [] })
  expect(memory.conflictsOf("a/three", volume(":::s1")).map(({ other }) => other)).toEqual(["a/one", "a/three"])
  memory.keep("a/one", { labeled: [], ambiguous: [] })
  expect(memory.podsOfDriver("d")).toEqual([])
})
