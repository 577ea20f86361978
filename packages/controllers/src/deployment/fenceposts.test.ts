import { describe, expect, test } from "vitest"
import { fenceposts } from "./fenceposts.ts"
import { deployment, recreate } from "./testing/objects.ts"

describe("ResolveFenceposts", () => {
  test.each([
    { name: "25 % of 3: surge rounds up, unavailable rounds down", replicas: 3, surge: "25%", unavailable: "25%", expected: [1, 0] },
    { name: "39 % of 10", replicas: 10, surge: "39%", unavailable: "39%", expected: [4, 3] },
    { name: "both 0 would never move", replicas: 3, surge: 0, unavailable: 0, expected: [0, 1] },
    {
      name: "1 % and 0 % of 2: unavailable comes to 0, so one may be missing",
      replicas: 2,
      surge: "0%",
      unavailable: "1%",
      expected: [0, 1],
    },
    { name: "a surge alone is enough to move", replicas: 2, surge: "1%", unavailable: "25%", expected: [1, 0] },
    { name: "unavailable is at most all of them", replicas: 2, surge: 0, unavailable: 5, expected: [0, 2] },
    { name: "no replicas: nothing can be missing", replicas: 0, surge: 2, unavailable: 2, expected: [2, 0] },
  ])("$name", ({ replicas, surge, unavailable, expected }) => {
    const { maxSurge, maxUnavailable } = fenceposts(deployment(replicas, { surge, unavailable }))
    expect([maxSurge, maxUnavailable]).toEqual(expected)
  })

  test.each([
    { name: "no surge said", rollingUpdate: { maxUnavailable: "39%" }, expected: { maxSurge: 0, maxUnavailable: 3 } },
    { name: "no unavailable said", rollingUpdate: { maxSurge: "39%" }, expected: { maxSurge: 4, maxUnavailable: 0 } },
    { name: "neither said", rollingUpdate: undefined, expected: { maxSurge: 0, maxUnavailable: 1 } },
  ])("$name", ({ rollingUpdate, expected }) => {
    expect(fenceposts(deployment(10, { strategy: { type: "RollingUpdate", rollingUpdate } }))).toEqual(expected)
  })

  test.each([{ surge: "oops" }, { unavailable: "urg" }])("what is neither number nor percentage is refused: %o", (facts) => {
    expect(() => fenceposts(deployment(10, facts))).toThrow("invalid value for IntOrString")
  })

  test("Recreate has no room either way", () => {
    expect(fenceposts(deployment(10, recreate))).toEqual({ maxSurge: 0, maxUnavailable: 0 })
  })
})
