import { beforeEach, describe, expect, test } from "vitest"
import { objectIn, statusIn, type TestServer, testServer } from "../../testing/server.ts"
import type { Identity } from "../authorizer.ts"
import { policyRule } from "./rule-text.ts"

const api = "/apis/rbac.authorization.k8s.io/v1"
const inDefault = `${api}/namespaces/default`
const alice: Identity = { name: "alice", groups: ["dev", "system:authenticated"] }
const held = 'user "alice" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:'
const role = (name: string, ...lines: readonly string[]) => ({ metadata: { name }, rules: lines.map(policyRule) })
const binding = (name: string, kind: string, ref: string) => ({
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: ref },
  subjects: [{ kind: "User", name: "bob" }],
})

let server: TestServer
let ask: ReturnType<TestServer["as"]>

/** Grants rights to alice in the namespace default. */
const grant = async (name: string, ...lines: readonly string[]) => {
  objectIn(await server.post(`${inDefault}/roles`, role(name, ...lines)), 201)
  const body = { ...binding(name, "Role", name), subjects: [{ kind: "User", name: "alice" }] }
  objectIn(await server.post(`${inDefault}/rolebindings`, body), 201)
}
const grantCluster = async (name: string, ...lines: readonly string[]) => {
  objectIn(await server.post(`${api}/clusterroles`, role(name, ...lines)), 201)
  const body = { ...binding(name, "ClusterRole", name), subjects: [{ kind: "User", name: "alice" }] }
  objectIn(await server.post(`${api}/clusterrolebindings`, body), 201)
}

beforeEach(async () => {
  server = testServer("in process", { authorizationModes: ["RBAC"] })
  ask = server.as(alice)
  await grant("editor", "read,write rbac.authorization.k8s.io: roles rolebindings", "get,list core: pods")
})

describe("a role", () => {
  test("may have the rights of its writer", async () => {
    expect((await ask("POST", `${inDefault}/roles`, { body: role("a", "get core: pods") })).status).toBe(201)
  })

  test("may not have others, which are listed in order", async () => {
    const body = role("a", "get,list,watch core: pods secrets", "get apps: deployments named x", "get core: pods")
    expect(statusIn(await ask("POST", `${inDefault}/roles`, { body }))).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: [
        `roles.rbac.authorization.k8s.io "a" is forbidden: ${held}`,
        '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["x"], Verbs:["get"]}',
      ].join("\n"),
    })
  })

  test("names roles that cannot be resolved", async () => {
    await server.post(`${inDefault}/rolebindings`, { ...binding("lost", "Role", "lost"), subjects: [{ kind: "User", name: "alice" }] })
    const { message } = statusIn(await ask("POST", `${inDefault}/roles`, { body: role("a", "get core: secrets") }))
    expect(message).toMatch(/\n\{.*\}; resolution errors: \[roles\.rbac\.authorization\.k8s\.io "lost" not found\]$/)
  })

  test("may have every right where its writer may escalate", async () => {
    await grant("escalate", "escalate rbac.authorization.k8s.io: roles")
    expect((await ask("POST", `${inDefault}/roles`, { body: role("a", "* *: *") })).status).toBe(201)
  })

  test("may have every right where its writer may escalate that name, once it exists", async () => {
    await grant("escalate", "escalate rbac.authorization.k8s.io: roles named a")
    expect((await ask("POST", `${inDefault}/roles`, { body: role("a", "* *: *") })).status).toBe(403)
    await server.post(`${inDefault}/roles`, role("a", "get core: pods"))
    expect((await ask("PUT", `${inDefault}/roles/a`, { body: role("a", "* *: *") })).status).toBe(200)
  })

  test("keeps rights that its writer does not have only while owners and finalizers alone change", async () => {
    await server.post(`${inDefault}/roles`, role("a", "get core: secrets"))
    const patch = (body: object) =>
      ask("PATCH", `${inDefault}/roles/a`, { body, headers: { "content-type": "application/merge-patch+json" } })
    expect((await patch({ metadata: { finalizers: ["x/y"] } })).status).toBe(200)
    expect((await patch({ metadata: { finalizers: [] } })).status).toBe(200)
    expect((await patch({ metadata: { labels: { a: "b" } } })).status).toBe(403)
  })

  test("is refused for its rights before it is validated", async () => {
    const body = { metadata: { name: "a" }, rules: [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"] }, { verbs: [] }] }
    expect((await ask("POST", `${inDefault}/roles`, { body })).status).toBe(403)
  })

  test("of the cluster is aggregated only by who may do everything", async () => {
    await grantCluster("roles", "read,write rbac.authorization.k8s.io: clusterroles")
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] }
    const create = () => ask("POST", `${api}/clusterroles`, { body: { metadata: { name: "a" }, aggregationRule } })
    expect(statusIn(await create())).toMatchObject({
      code: 403,
      message: 'clusterroles.rbac.authorization.k8s.io "a" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    })
    await grantCluster("everything", "* *: *", "* *")
    expect((await create()).status).toBe(201)
  })

  test("is written freely by system:masters", async () => {
    expect((await server.post(`${api}/clusterroles`, role("a", "* *: *", "* *"))).status).toBe(201)
  })
})

describe("a binding", () => {
  test("grants a role whose rights its writer has", async () => {
    await server.post(`${api}/clusterroles`, role("reader", "get core: pods"))
    expect((await ask("POST", `${inDefault}/rolebindings`, { body: binding("b", "ClusterRole", "reader") })).status).toBe(201)
  })

  test("grants no other role", async () => {
    await server.post(`${inDefault}/roles`, role("secrets", "get core: secrets"))
    expect(statusIn(await ask("POST", `${inDefault}/rolebindings`, { body: binding("b", "Role", "secrets") }))).toMatchObject({
      code: 403,
      message: `rolebindings.rbac.authorization.k8s.io "b" is forbidden: ${held}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    })
  })

  test("of a role that does not exist is a 404 for who may not bind it", async () => {
    const create = (kind: string) => ask("POST", `${inDefault}/rolebindings`, { body: binding("b", kind, "lost") })
    // Upstream names the resource of the request, not that of the role (seen).
    const lost = { code: 404, message: 'rolebindings.rbac.authorization.k8s.io "lost" not found' }
    expect(statusIn(await create("Role"))).toMatchObject(lost)
    expect(statusIn(await create("ClusterRole"))).toMatchObject(lost)
    await grant("bind", "bind rbac.authorization.k8s.io: roles named lost")
    expect((await create("Role")).status).toBe(201)
  })

  test("grants every role where its writer may bind it", async () => {
    await grant("bind", "bind rbac.authorization.k8s.io: clusterroles named cluster-admin")
    const create = (name: string) => ask("POST", `${inDefault}/rolebindings`, { body: binding(`b-${name}`, "ClusterRole", name) })
    expect((await create("cluster-admin")).status).toBe(201)
    expect((await create("system:node")).status).toBe(403)
  })

  test("for the cluster needs rights in the cluster", async () => {
    await grantCluster("bindings", "create rbac.authorization.k8s.io: clusterrolebindings")
    await server.post(`${api}/clusterroles`, role("reader", "get core: pods"))
    const create = () => ask("POST", `${api}/clusterrolebindings`, { body: binding("b", "ClusterRole", "reader") })
    expect((await create()).status).toBe(403)
    await grantCluster("pods", "get core: pods")
    expect((await create()).status).toBe(201)
  })
})

describe("an update that creates", () => {
  const lease = { metadata: { name: "l" }, spec: {} }
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l"

  test("needs the right to create", async () => {
    await grant("leases", "get,update,patch coordination.k8s.io: leases")
    const refused = statusIn(await ask("PUT", path, { body: lease }))
    expect(refused).toMatchObject({
      code: 403,
      message:
        'leases.coordination.k8s.io "l" is forbidden: User "alice" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default"',
    })
    const headers = { "content-type": "application/apply-patch+yaml" }
    const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", ...lease }
    expect((await ask("PATCH", path, { body, headers, query: { fieldManager: "m" } })).status).toBe(403)
    await grant("create", "create coordination.k8s.io: leases")
    expect((await ask("PUT", path, { body: lease })).status).toBe(201)
  })
})
