import { expect, test } from "vitest"
import { label } from "./component.ts"
import { components } from "./components.ts"
import { select } from "./select.ts"
import { packageName } from "./sources/npm-package.ts"
import { testComponent } from "./testing/component.ts"

const table = [
  testComponent({ name: "kubectl", version: "1.3.1" }),
  testComponent({ name: "kubectl", version: "1.35.2" }),
  testComponent({ name: "kubernetes", version: "1.36.3" }),
]

test.for([
  ["a name means all its versions", "kubectl", ["kubectl@1.3.1", "kubectl@1.35.2"]],
  ["a minor version", "kubectl@1.35", ["kubectl@1.35.2"]],
  ["a whole version", "kubectl@1.35.2", ["kubectl@1.35.2"]],
  ["a leading v", "kubectl@v1.35", ["kubectl@1.35.2"]],
  ["1.3 is not 1.35", "kubectl@1.3", ["kubectl@1.3.1"]],
] as const)("%s", ([, wanted, found]) => {
  expect(select(table, wanted).map(label)).toEqual(found)
})

test.for([
  ["a letter missing", "kubctl", "Did you mean kubectl?"],
  ["letters swapped", "kubeclt", "Did you mean kubectl?"],
  ["the beginning", "kubern", "Did you mean kubernetes?"],
  ["nothing like it", "postgres", 'there is no component "postgres". The names are kubectl, kubernetes;'],
  ["an option", "--force", 'there is no component "--force". The names are'],
  ["a version that is not there", "kubectl@1.29", "there is no kubectl@1.29; the versions of kubectl are 1.3.1, 1.35.2."],
  ["an empty version", "kubectl@", "there is no kubectl@;"],
] as const)("unknown: %s", ([, wanted, message]) => {
  expect(() => select(table, wanted)).toThrow(message)
})

test("the table names every row once and has something to run in each", () => {
  const labels = components.map(label)
  expect(new Set(labels).size).toBe(labels.length)
  expect(components.filter(({ binaries }) => binaries.length === 0)).toEqual([])
})

test.for([
  ["@scope/name@1.2.3", "@scope/name"],
  ["@scope/name", "@scope/name"],
  ["name@1.2.3", "name"],
] as const)("package name of %s", ([source, name]) => {
  expect(packageName(source)).toBe(name)
})
