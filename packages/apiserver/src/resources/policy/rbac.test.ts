import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"

const api = "/apis/rbac.authorization.k8s.io/v1"
const group = "rbac.authorization.k8s.io"
const inDefault = `${api}/namespaces/default`

/** The fields and messages of a 422. */
async function causes(path: string, body: object) {
  const status = statusIn(await testServer().post(path, { metadata: { name: "a" }, ...body }))
  expect(status.code).toBe(422)
  return status.details?.causes?.map(({ field, message }) => `${field}: ${message}`)
}

describe("rules are refused in upstream's words", () => {
  test.each([
    [
      "no verbs",
      "clusterroles",
      { apiGroups: [""], resources: ["pods"] },
      ["rules[0].verbs: Required value: verbs must contain at least one value"],
    ],
    [
      "nothing but verbs",
      "clusterroles",
      { verbs: ["get"] },
      [
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource",
      ],
    ],
    [
      "paths in a namespace",
      "namespaces/default/roles",
      { verbs: ["get"], nonResourceURLs: ["/x"] },
      ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
    ],
    [
      "paths and resources",
      "clusterroles",
      { verbs: ["get"], apiGroups: [""], resources: ["pods"], nonResourceURLs: ["/x"] },
      ['rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs'],
    ],
  ])("%s", async (_name, kind, rule, expected) => {
    expect(await causes(`${api}/${kind}`, { rules: [rule] })).toEqual(expected)
  })

  test("an aggregation without selectors, or with an invalid one", async () => {
    const field = "aggregationRule.clusterRoleSelectors"
    expect(await causes(`${api}/clusterroles`, { aggregationRule: {} })).toEqual([
      `${field}: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`,
    ])
    const clusterRoleSelectors = [{ matchExpressions: [{ key: "a", operator: "Near" }] }]
    expect(await causes(`${api}/clusterroles`, { aggregationRule: { clusterRoleSelectors } })).toContain(
      `${field}[0].matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator`,
    )
  })
})

describe("bindings are refused in upstream's words", () => {
  const roleRef = { apiGroup: group, kind: "ClusterRole", name: "view" }

  test.each([
    [
      "another group",
      `${inDefault}/rolebindings`,
      { roleRef: { ...roleRef, apiGroup: "x" } },
      [`roleRef.apiGroup: Unsupported value: "x": supported values: "${group}"`],
    ],
    [
      "a Role for the cluster",
      `${api}/clusterrolebindings`,
      { roleRef: { ...roleRef, kind: "Role" } },
      ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    ],
    ["a role without a name", `${inDefault}/rolebindings`, { roleRef: { ...roleRef, name: "" } }, ["roleRef.name: Required value"]],
    [
      "a subject of another group",
      `${inDefault}/rolebindings`,
      { roleRef, subjects: [{ kind: "User", apiGroup: "x", name: "u" }] },
      [`subjects[0].apiGroup: Unsupported value: "x": supported values: "${group}"`],
    ],
    [
      "an account of a group",
      `${inDefault}/rolebindings`,
      { roleRef, subjects: [{ kind: "ServiceAccount", apiGroup: group, name: "u" }] },
      [`subjects[0].apiGroup: Unsupported value: "${group}": supported values: ""`],
    ],
    [
      "an account without a namespace, for the cluster",
      `${api}/clusterrolebindings`,
      { roleRef, subjects: [{ kind: "ServiceAccount", name: "u" }] },
      ["subjects[0].namespace: Required value"],
    ],
    [
      "a subject of another kind, without a name",
      `${inDefault}/rolebindings`,
      { roleRef, subjects: [{ kind: "Robot", name: "" }] },
      [
        "subjects[0].name: Required value",
        'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
      ],
    ],
  ])("%s", async (_name, path, body, expected) => {
    expect(await causes(path, body)).toEqual(expected)
  })

  test("an account of the same namespace needs no namespace", async () => {
    const body = { metadata: { name: "a" }, roleRef, subjects: [{ kind: "ServiceAccount", name: "u" }] }
    expect(objectIn(await testServer().post(`${inDefault}/rolebindings`, body), 201)).toMatchObject({ roleRef })
  })

  test("the role of a binding never changes", async () => {
    const server = testServer()
    await server.post(`${inDefault}/rolebindings`, { metadata: { name: "a" }, roleRef })
    const status = statusIn(await server.patch(`${inDefault}/rolebindings/a`, "merge", { roleRef: { name: "edit" } }))
    expect(status.details?.causes).toMatchObject([{ field: "roleRef", message: expect.stringMatching(/: cannot change roleRef$/) }])
  })
})

test.each([
  [undefined, 1],
  [["RBAC"] as const, 0],
])("with the modes %j a Role comes with %i warnings", async (authorizationModes, count) => {
  const answer = await testServer("in process", { ...(authorizationModes && { authorizationModes }) }).post(`${inDefault}/roles`, {
    metadata: { name: "a" },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
  })
  expect(answer.status).toBe(201)
  expect(Object.entries(answer.headers).filter(([name]) => name === "warning")).toHaveLength(count)
})
