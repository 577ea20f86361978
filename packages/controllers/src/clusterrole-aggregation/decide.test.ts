import type { ClusterRole, PolicyRule } from "@pilothouse/api/rbac/v1"
import { expect, test } from "vitest"
import { decide } from "./controller.ts"

const rule = (resource: string): PolicyRule => ({ verbs: ["get"], apiGroups: [""], resources: [resource] })
const role = (name: string, ...resources: readonly string[]): ClusterRole => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name },
  rules: resources.map(rule),
})
const [hammer, chisel, saw, otherSaw] = [
  role("hammer", "nails"),
  role("chisel", "mortises"),
  role("saw", "boards"),
  role("x-saw", "boards"),
]

test.each<[name: string, combined: ClusterRole, selected: readonly (readonly ClusterRole[])[], rules: readonly string[] | undefined]>([
  ["rules of parts that are gone go", role("combined", "boards"), [[hammer]], ["nails"]],
  ["without parts it has no rules", role("combined", "nails"), [[]], []],
  ["rules come in the order of the parts", role("combined"), [[chisel, hammer]], ["mortises", "nails"]],
  ["several selectors are joined", role("combined"), [[chisel, hammer], [saw]], ["mortises", "nails", "boards"]],
  ["a rule that two parts have comes once", role("combined"), [[chisel, hammer, saw], [otherSaw]], ["mortises", "nails", "boards"]],
  ["a role is no part of itself", role("combined", "boards"), [[hammer, role("combined", "boards")]], ["nails"]],
  ["nothing changes", role("combined", "nails"), [[hammer]], undefined],
])("%s", (_name, combined, selected, rules) => {
  const operations = decide({ role: combined, selected }).steps.flatMap((step) => step.operations)
  if (rules === undefined) expect(operations).toEqual([])
  else {
    const object = { ...role("combined"), rules: rules.map(rule) }
    expect(operations).toEqual([{ do: "apply", object, force: true, reason: expect.any(String) }])
  }
})

test("20,000 rules that 500 selectors select are joined in linear time", () => {
  const parts = Array.from({ length: 10 }, (_, at) => role(`part-${at}`, ...Array.from({ length: 2000 }, (_, nr) => `r-${at}-${nr}`)))
  const selected = Array.from({ length: 500 }, () => parts)
  const start = process.cpuUsage()
  const [operation] = decide({ role: role("combined"), selected }).steps.flatMap((step) => step.operations)
  const { user, system } = process.cpuUsage(start)
  expect((operation as { object: ClusterRole }).object.rules).toHaveLength(20_000)
  expect((user + system) / 1000).toBeLessThan(500)
})
