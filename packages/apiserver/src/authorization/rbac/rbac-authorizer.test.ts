import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, type TestServer } from "../../testing/server.ts"
import type { Identity } from "../authorizer.ts"
import { policyRule } from "./rule-text.ts"

const api = "/apis/rbac.authorization.k8s.io/v1"
const reviews = "/apis/authorization.k8s.io/v1"

everyWay("RBAC", (testServer) => {
  const start = () => testServer({ authorizationModes: ["RBAC"] })
  const alice: Identity = { name: "alice", groups: ["dev", "system:authenticated"] }

  const clusterRole = (server: TestServer, name: string, ...lines: readonly string[]) =>
    server.post(`${api}/clusterroles`, { metadata: { name }, rules: lines.map(policyRule) })
  const role = (server: TestServer, namespace: string, name: string, ...lines: readonly string[]) =>
    server.post(`${api}/namespaces/${namespace}/roles`, { metadata: { name }, rules: lines.map(policyRule) })
  const subjectsOf = (subjects: readonly string[]) =>
    subjects.map((text) => {
      const [kind, name, namespace] = text.split(" ")
      return { kind, name, ...(namespace !== undefined && { namespace }) }
    })
  const bind = (server: TestServer, name: string, ref: string, ...subjects: readonly string[]) =>
    server.post(`${api}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { kind: "ClusterRole", name: ref },
      subjects: subjectsOf(subjects),
    })
  const bindIn = (server: TestServer, namespace: string, name: string, ref: string, ...subjects: readonly string[]) => {
    const [kind, role] = ref.split(" ")
    return server.post(`${api}/namespaces/${namespace}/rolebindings`, {
      metadata: { name },
      roleRef: { kind, name: role },
      subjects: subjectsOf(subjects),
    })
  }
  const review = async (server: TestServer, user: Identity, resourceAttributes: object) => {
    const spec = { user: user.name, groups: user.groups, resourceAttributes }
    return objectIn(await server.post(`${reviews}/subjectaccessreviews`, { spec }), 201).status
  }
  const getPods = { verb: "get", resource: "pods", namespace: "default" }

  test("without a binding nothing is allowed, and system:masters may do everything", async () => {
    const server = start()
    expect(statusIn(await server.as(alice)("GET", "/api/v1/namespaces/default/pods"))).toMatchObject({
      code: 403,
      message: 'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
    })
    expect((await server.get("/api/v1/namespaces/default/pods")).status).toBe(200)
    expect(await review(server, { name: "root", groups: ["system:masters"] }, getPods)).toEqual({ allowed: true })
  })

  test("a ClusterRoleBinding grants in every namespace, a RoleBinding in its own", async () => {
    const server = start()
    await clusterRole(server, "owner", "* *: *")
    await bind(server, "everywhere", "owner", "User root")
    await bindIn(server, "default", "here", "ClusterRole owner", "User admin", "Group admins")
    const allowed = async (user: string, groups: readonly string[], namespace: string) =>
      (await review(server, { name: user, groups }, { ...getPods, namespace }))?.allowed
    expect(await allowed("root", [], "default")).toBe(true)
    expect(await allowed("root", [], "")).toBe(true)
    expect(await allowed("admin", [], "default")).toBe(true)
    expect(await allowed("joe", ["group1", "admins"], "default")).toBe(true)
    expect(await allowed("admin", [], "other")).toBe(false)
    expect(await allowed("admin", ["admins"], "")).toBe(false)
    expect(await allowed("joe", ["group1"], "default")).toBe(false)
  })

  test("says which binding allowed it", async () => {
    const server = start()
    await clusterRole(server, "reader", "read core: pods")
    await role(server, "default", "writer", "write core: pods")
    await bind(server, "readers", "reader", "Group dev", "User alice")
    await bindIn(server, "default", "writers", "Role writer", "User bob", "ServiceAccount robot")
    await bindIn(server, "default", "foreign", "ClusterRole reader", "ServiceAccount robot kube-system")
    const reason = async (name: string, groups: readonly string[], verb: string) =>
      (await review(server, { name, groups }, { ...getPods, verb }))?.reason
    expect(await reason("alice", ["dev"], "get")).toBe(
      'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "dev"',
    )
    expect(await reason("alice", [], "get")).toBe('RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to User "alice"')
    expect(await reason("bob", [], "delete")).toBe('RBAC: allowed by RoleBinding "writers/default" of Role "writer" to User "bob"')
    expect(await reason("system:serviceaccount:default:robot", [], "create")).toBe(
      'RBAC: allowed by RoleBinding "writers/default" of Role "writer" to ServiceAccount "robot/default"',
    )
    expect(await reason("system:serviceaccount:kube-system:robot", [], "list")).toBe(
      'RBAC: allowed by RoleBinding "foreign/default" of ClusterRole "reader" to ServiceAccount "robot/kube-system"',
    )
  })

  test("a refusal names the roles that bindings refer to and that do not exist", async () => {
    const server = start()
    await bind(server, "a", "lost", "User alice")
    await bindIn(server, "default", "b", "Role gone", "Group dev")
    await bindIn(server, "default", "c", "Role gone", "User alice")
    expect(await review(server, alice, { ...getPods, namespace: "" })).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "lost" not found',
    })
    const answer = await server.as(alice)("GET", "/api/v1/namespaces/default/pods/p")
    expect(statusIn(answer).message).toBe(
      'pods "p" is forbidden: User "alice" cannot get resource "pods" in API group "" in the namespace "default": ' +
        'RBAC: [clusterrole.rbac.authorization.k8s.io "lost" not found, role.rbac.authorization.k8s.io "gone" not found]',
    )
  })

  test("a change of roles and bindings decides on the next request", async () => {
    const server = start()
    const ask = server.as(alice)
    const status = async () => (await ask("GET", "/api/v1/namespaces/default/configmaps")).status
    await bindIn(server, "default", "b", "Role r", "User alice")
    expect(await status()).toBe(403)
    await role(server, "default", "r", "list core: configmaps")
    expect(await status()).toBe(200)
    await server.patch(`${api}/namespaces/default/roles/r`, "merge", { rules: [policyRule("get core: configmaps")] })
    expect(await status()).toBe(403)
    await server.patch(`${api}/namespaces/default/roles/r`, "merge", { rules: [policyRule("list core: configmaps")] })
    await server.patch(`${api}/namespaces/default/rolebindings/b`, "merge", { subjects: subjectsOf(["User bob"]) })
    expect(await status()).toBe(403)
    await server.patch(`${api}/namespaces/default/rolebindings/b`, "merge", { subjects: subjectsOf(["Group dev", "User alice"]) })
    expect(await status()).toBe(200)
    await server.delete(`${api}/namespaces/default/rolebindings/b`)
    expect(await status()).toBe(403)
  })

  test("a list that selects one name is allowed by a rule with that name", async () => {
    const server = start()
    await clusterRole(server, "one", "list,watch core: configmaps named a")
    await bind(server, "one", "one", "User alice")
    const status = async (fieldSelector: string) =>
      (await server.as(alice)("GET", "/api/v1/namespaces/default/configmaps", { query: { fieldSelector } })).status
    expect(await status("metadata.name=a")).toBe(200)
    expect(await status("metadata.name=b")).toBe(403)
    expect(await status("metadata.name!=a")).toBe(403)
    expect(await status("")).toBe(403)
  })

  test("the rules of a user are those of every binding once", async () => {
    const server = start()
    await clusterRole(server, "paths", "get /metrics /healthz", "create authorization.k8s.io: selfsubjectrulesreviews")
    await bind(server, "paths", "paths", "User alice", "Group dev")
    await role(server, "default", "r", "read core: pods named a")
    await bindIn(server, "default", "r", "Role r", "Group dev")
    await bindIn(server, "default", "lost", "Role lost", "User alice")
    const list = async (namespace: string) =>
      objectIn(
        await server.as({ name: "alice", groups: ["dev"] })("POST", `${reviews}/selfsubjectrulesreviews`, {
          body: { spec: { namespace } },
        }),
        201,
      ).status
    expect(await list("default")).toEqual({
      resourceRules: [
        { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectrulesreviews"] },
        { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] },
      ],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/metrics"] }],
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "lost" not found',
    })
    expect(await list("other")).toMatchObject({ resourceRules: [{ resources: ["selfsubjectrulesreviews"] }], incomplete: false })
  })

  test("rules are listed for a namespace", async () => {
    const answer = await start().post(`${reviews}/selfsubjectrulesreviews`, { spec: {} })
    expect(statusIn(answer)).toMatchObject({ code: 400, message: "no namespace on request" })
  })
})
