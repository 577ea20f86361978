import { expect, test } from "vitest"
import { everyWay, testServer as plainServer } from "../testing/server.ts"
import { bodies } from "./testing/bodies.ts"

const rights = "rights are not enforced, so every authenticated user may do everything"

const rows: readonly (readonly [plural: string, warning: string])[] = [
  ["roles", `Role is stored but has no effect yet: ${rights}`],
  ["clusterroles", `ClusterRole is stored but has no effect yet: ${rights}`],
  ["rolebindings", `RoleBinding is stored but has no effect yet: ${rights}`],
  ["clusterrolebindings", `ClusterRoleBinding is stored but has no effect yet: ${rights}`],
  [
    "networkpolicies",
    "NetworkPolicy is stored but has no effect yet: Pilothouse blocks no traffic, so pods stay reachable unless a network plugin of your own enforces it",
  ],
  ["flowschemas", "FlowSchema is stored but has no effect yet: requests are not classified by it"],
  ["prioritylevelconfigurations", "PriorityLevelConfiguration is stored but has no effect yet: requests are not limited by it"],
]

const own: Readonly<Record<string, readonly [group: string, body: object]>> = {
  prioritylevelconfigurations: ["flowcontrol.apiserver.k8s.io/v1", { spec: { type: "Exempt" } }],
}

function created(plural: string): { readonly path: string; readonly body: object } {
  const [group, body, scope] = own[plural] ? [...own[plural], "cluster"] : bodies[plural]!
  return { path: `/apis/${group}/${scope === "cluster" ? "" : "namespaces/default/"}${plural}`, body: { metadata: { name: "a" }, ...body } }
}

everyWay("kinds that are stored and have no effect", (testServer) => {
  test.each(rows)("a new one of %s is answered with a warning", async (plural, warning) => {
    const { path, body } = created(plural)
    const { status, headers } = await testServer().post(path, body)
    expect([status, headers.warning]).toEqual([201, `299 - "${warning}"`])
  })

  test("a change of what has no effect warns again, and a label does not", async () => {
    const { post, patch } = testServer()
    const { path, body } = created("roles")
    await post(path, body)
    const rule = { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }
    expect((await patch(`${path}/a`, "merge", rule)).headers.warning).toBe(`299 - "Role is stored but has no effect yet: ${rights}"`)
    expect((await patch(`${path}/a`, "merge", { metadata: { labels: { a: "b" } } })).headers.warning).toBeUndefined()
  })

  test("reading, listing and deleting one say nothing", async () => {
    const { post, get, delete: remove } = testServer()
    const { path, body } = created("networkpolicies")
    await post(path, body)
    for (const { headers } of [await get(path), await get(`${path}/a`), await remove(`${path}/a`)]) expect(headers.warning).toBeUndefined()
  })
})

test("a new server writes what every cluster has without a line in its log", async () => {
  const { get, lines } = plainServer()
  expect((await get("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas")).status).toBe(200)
  expect(lines.map(({ message }) => message).filter((message) => message.includes("no effect"))).toEqual([])
})
