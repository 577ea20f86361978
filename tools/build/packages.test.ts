import { expect, test } from "vitest"
import { buildOrder } from "./packages.ts"

const named = (name: string, ...dependencies: string[]) => ({ folder: name, name, dependencies })

test("each package comes after those it depends on", () => {
  const packages = [named("cli", "runtime", "yaml"), named("runtime", "api", "seams"), named("api", "seams"), named("seams")]
  expect(buildOrder(packages).map(({ name }) => name)).toEqual(["seams", "api", "runtime", "cli"])
})

test("a cycle is named", () => {
  expect(() => buildOrder([named("a", "b"), named("b", "a")])).toThrow("expected packages without a cycle, found a → b → a")
})
