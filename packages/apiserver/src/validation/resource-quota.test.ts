import { expect, test } from "vitest"
import { scopeErrors } from "./resource-quota.ts"

test("a scope that is called as something every object has is unsupported, not a fault of the server", () => {
  for (const scope of ["constructor", "toString", "__proto__"]) {
    const errors = scopeErrors({ hard: { pods: "9" }, scopes: [scope as never] })
    expect(JSON.stringify(errors)).toContain("unsupported scope")
  }
})

test("the errors of a list of unknown scopes show that list once: with a text for each they were quadratic", () => {
  const scopes = Array.from({ length: 100 }, (_, index) => `x${index}` as never)
  const errors = scopeErrors({ hard: { pods: "9" }, scopes })
  expect(errors).toHaveLength(100)
  expect(new Set(errors).size).toBe(1)
})
