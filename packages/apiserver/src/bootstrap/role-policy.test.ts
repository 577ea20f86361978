import { seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { memoryStorage } from "../storage/memory.ts"
import { everyWay, objectIn, testServer } from "../testing/server.ts"

const api = "/apis/rbac.authorization.k8s.io/v1"

everyWay("the bootstrap policy", (testServer) => {
  test("is there when RBAC is on", async () => {
    const server = testServer({ authorizationModes: ["RBAC"] })
    const count = async (path: string) => objectIn(await server.get(`${api}/${path}`)).items?.length
    expect(await Promise.all(["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map(count))).toEqual([69, 50, 7, 7])
    expect(objectIn(await server.get(`${api}/clusterroles/system:basic-user`))).toMatchObject({
      metadata: {
        labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
        annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
      },
      rules: [
        { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"] },
        { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
      ],
    })
  })

  test("is absent without RBAC", async () => {
    expect(objectIn(await testServer().get(`${api}/clusterroles`)).items).toEqual([])
  })

  test("lets an authenticated user discover the API, and an anonymous one read the version", async () => {
    const server = testServer({ authorizationModes: ["RBAC"] })
    const status = async (groups: readonly string[], path: string) => (await server.as({ name: "u", groups })("GET", path)).status
    expect(await status(["system:authenticated"], "/apis")).toBe(200)
    expect(await status(["system:authenticated"], "/openapi/v3")).toBe(200)
    expect(await status(["system:unauthenticated"], "/apis")).toBe(403)
    expect(await status(["system:unauthenticated"], "/version")).toBe(200)
  })

  test("a role of it can be changed", async () => {
    const server = testServer({ authorizationModes: ["RBAC"] })
    const path = `${api}/clusterroles/system:basic-user`
    const changed = objectIn(await server.patch(path, "merge", { metadata: { labels: { team: "a" } } }))
    expect(changed).toMatchObject({ metadata: { labels: { team: "a" } }, rules: [{ verbs: ["create"] }, { verbs: ["create"] }] })
  })
})

test("a start adds what is missing, leaves what users have added, and does nothing where nothing is missing", async () => {
  const storage = memoryStorage({ log: silentLog })
  const start = () =>
    testServer("in process", { storage, clock: new VirtualClock(), random: seededRandom(2), authorizationModes: ["RBAC"] })
  const first = start()
  await first.patch(`${api}/clusterroles/system:kube-dns`, "merge", { rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] })
  await first.patch(`${api}/clusterroles/system:monitoring`, "merge", {
    metadata: { annotations: { "rbac.authorization.kubernetes.io/autoupdate": "false" } },
    rules: [],
  })
  await first.delete(`${api}/clusterrolebindings/system:discovery`)
  await first.delete(`${api}/clusterrolebindings/system:kube-dns`)
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" }
  await first.post(`${api}/clusterrolebindings`, { metadata: { name: "system:kube-dns" }, roleRef })
  const before = objectIn(await first.get(`${api}/clusterrolebindings/system:kube-dns`))

  const second = start()
  const rules = (objectIn(await second.get(`${api}/clusterroles/system:kube-dns`)) as { rules?: unknown }).rules
  expect(rules).toEqual([
    { verbs: ["get"], apiGroups: [""], resources: ["pods"] },
    ...["endpoints", "services"].flatMap((resource) =>
      ["list", "watch"].map((verb) => ({ verbs: [verb], apiGroups: [""], resources: [resource] })),
    ),
  ])
  expect(objectIn(await second.get(`${api}/clusterroles/system:monitoring`))).toMatchObject({ rules: [] })
  expect((await second.get(`${api}/clusterrolebindings/system:discovery`)).status).toBe(200)
  const again = objectIn(await second.get(`${api}/clusterrolebindings/system:kube-dns`))
  expect(again).toMatchObject({ roleRef: { name: "system:kube-dns" }, subjects: [{ name: "kube-dns" }] })
  expect(again.metadata.uid).not.toBe(before.metadata.uid)

  const revision = storage.revision
  await start().get(`${api}/clusterroles`)
  expect(storage.revision).toBe(revision)
})

test("the roles of components stand beside it, and give their accounts rights", async () => {
  const componentRoles = [
    { account: "exporter", rules: ["get,list core: pods"] },
    { account: "agent", role: "system:node" },
  ]
  const server = testServer("in process", { authorizationModes: ["RBAC"], componentRoles })
  const as = (account: string) => server.as({ name: `system:serviceaccount:kube-system:${account}`, groups: ["system:authenticated"] })
  expect((await as("exporter")("GET", "/api/v1/pods")).status).toBe(200)
  expect((await as("exporter")("GET", "/api/v1/secrets")).status).toBe(403)
  expect((await as("agent")("GET", "/api/v1/secrets")).status).toBe(200)
  const found = objectIn(await server.get(`${api}/clusterrolebindings`, { labelSelector: "app.kubernetes.io/managed-by=pilothouse" }))
  expect(found.items?.map(({ metadata }) => metadata.name)).toEqual(["pilothouse:agent", "pilothouse:exporter"])
})

test("users that a storage without RBAC knew keep their rights, and one line says so", async () => {
  const storage = memoryStorage({ log: silentLog })
  const tokens = new Map([
    ["t1", { name: "bob", groups: ["dev"] }],
    ["t2", { name: "root", groups: ["system:masters"] }],
  ])
  const start = (more: object) => testServer("in process", { storage, tokens, clock: new VirtualClock(), ...more })
  await start({}).get("/api/v1/namespaces")
  const second = start({ authorizationModes: ["Node", "RBAC"] })
  const status = async (server: typeof second, name: string) =>
    (await server.as({ name, groups: ["system:authenticated"] })("GET", "/api/v1/secrets")).status
  expect([await status(second, "bob"), await status(second, "eve")]).toEqual([200, 403])
  expect(second.lines.map(({ message }) => message)).toEqual([
    "roles and bindings decide which user may do what from this start on, service accounts that they name or that are named default included; bob may still do everything, by the ClusterRoleBinding pilothouse:known-before-rbac: delete it when they have bindings of their own; --authorization-mode=AlwaysAllow is as before",
  ])
  await second.delete(`${api}/clusterrolebindings/pilothouse:known-before-rbac`)
  const third = start({ authorizationModes: ["Node", "RBAC"] })
  expect([await status(third, "bob"), third.lines.length]).toEqual([403, 0])
})

test("service accounts that no binding names keep their rights, those named default do not", async () => {
  const storage = memoryStorage({ log: silentLog })
  const start = (more: object) => testServer("in process", { storage, clock: new VirtualClock(), ...more })
  const first = start({})
  for (const name of ["default", "robot", "reader"]) await first.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name } })
  const subjects = [{ kind: "ServiceAccount", name: "reader", namespace: "default" }]
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" }
  await first.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", { metadata: { name: "r" }, roleRef, subjects })
  const second = start({ authorizationModes: ["Node", "RBAC"] })
  const status = async (name: string) =>
    (await second.as({ name: `system:serviceaccount:default:${name}`, groups: ["system:authenticated"] })("GET", "/api/v1/secrets")).status
  expect([await status("default"), await status("robot"), await status("reader")]).toEqual([403, 200, 403])
  expect(second.lines.map(({ message }) => message)).toEqual([
    expect.stringContaining("; the service account default/robot may still do everything, by the ClusterRoleBinding"),
  ])
})

test("a new storage binds no users", async () => {
  const tokens = new Map([["t1", { name: "bob", groups: ["dev"] }]])
  const server = testServer("in process", { authorizationModes: ["RBAC"], tokens })
  expect((await server.as({ name: "bob", groups: [] })("GET", "/api/v1/secrets")).status).toBe(403)
  expect(server.lines).toEqual([])
})
