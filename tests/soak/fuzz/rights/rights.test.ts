import { seededRandom } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { isAllowed, type Model } from "./model.ts"
import { rightsFuzzer } from "./rights.ts"

// The whole of it: npm run soak -- fuzz --requests 100000
test("600 requests of users whose rights change are answered as an independent model of RBAC says", async () => {
  const next = await rightsFuzzer(seededRandom(3))
  const faults: string[] = []
  for (let count = 0; count < 600; count++) {
    const fault = await next()
    if (fault !== undefined) faults.push(fault)
  }
  expect(faults.slice(0, 3)).toEqual([])
})

test("the model knows namespaces, names, subresources and accounts", () => {
  const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods", "*/scale"], resourceNames: ["one"] }]
  const robot = { kind: "ServiceAccount", name: "robot", namespace: "b" } as const
  const binding = { namespace: "a", role: { kind: "Role", name: "r" }, subjects: [robot] } as const
  const model: Model = { roles: new Map([["a/r", rules]]), bindings: new Map([["a/x", binding]]) }
  const user = { name: "system:serviceaccount:b:robot", groups: [] }
  const asked = { verb: "get", group: "", resource: "pods", namespace: "a", name: "one" }
  expect(isAllowed(model, user, asked)).toBe(true)
  expect(isAllowed(model, user, { ...asked, resource: "things/scale" })).toBe(true)
  for (const other of [
    { name: "two" },
    { namespace: "b" },
    { namespace: "" },
    { resource: "pods/log" },
    { verb: "list" },
    { group: "apps" },
  ])
    expect(isAllowed(model, user, { ...asked, ...other })).toBe(false)
  expect(isAllowed(model, { name: "robot", groups: [] }, asked)).toBe(false)
})
