import { expect, test } from "vitest"
import { accessTable, userTable } from "../client/access-tables.ts"
import { allowedList, canI, refuseContradictions, whoAmI } from "./auth.ts"
import { connectedCluster } from "./testing/connection.ts"

const alone = { controllers: [], nodes: 0, rbac: true }

async function answered(question: Parameters<typeof canI>[1], user?: string) {
  await using connection = await connectedCluster(alone)
  const warnings: string[] = []
  const client = user === undefined ? connection.client : connection.cluster.as({ name: user })
  const answer = await canI(client, question, (text) => warnings.push(text))
  return { ...answer, warnings }
}

test.each([
  ["a resource", { verb: "list", resource: "deploy", namespace: "default" }, []],
  ["everything", { verb: "*", resource: "*", namespace: "" }, []],
  ["a path", { verb: "get", resource: "/metrics", namespace: "default" }, []],
  ["a verb that no resource has", { verb: "paint", resource: "pods", namespace: "default" }, ["verb 'paint' is not a known verb"]],
  ["a resource of the cluster", { verb: "get", resource: "nodes/n", namespace: "default" }, ["resource 'nodes' is not namespace scoped"]],
  [
    "an unknown resource",
    { verb: "get", resource: "foos.example.com", namespace: "default" },
    ["the server doesn't have a resource type 'foos' in group 'example.com'"],
  ],
])("an administrator may: %s", async (_what, question, warnings) => {
  expect(await answered(question)).toEqual({ allowed: true, text: "yes\n", warnings })
})

test("a user without rights may not", async () => {
  expect(await answered({ verb: "list", resource: "pods", namespace: "default" }, "alice")).toEqual({
    allowed: false,
    text: "no\n",
    warnings: [],
  })
})

test("the list has a line for each resource, with its verbs", async () => {
  await using connection = await connectedCluster(alone)
  const text = await allowedList(connection.cluster.as({ name: "alice" }), "default", {}, () => {})
  expect(text).toContain("selfsubjectaccessreviews.authorization.k8s.io   []                  []               [create]")
  expect(text.split("\n")[0]).toBe("Resources                                       Non-Resource URLs   Resource Names   Verbs")
})

test("rules are joined, and sorted as kubectl sorts them", () => {
  const rules = [
    { verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "pods/log"] },
    { verbs: ["watch"], apiGroups: [""], resources: ["pods"] },
    { verbs: ["get"], apiGroups: ["apps"], resources: ["deployments/scale"], resourceNames: ["web"] },
  ]
  expect(accessTable(rules, [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }], { headers: false })).toBe(
    [
      "pods                     []           []      [get list watch]",
      "pods/log                 []           []      [get list]",
      "                         [/healthz]   []      [get]",
      "deployments.apps/scale   []           [web]   [get]",
      "",
    ].join("\n"),
  )
})

test("whoami shows name, uid, groups and extra", async () => {
  expect(userTable({ username: "a", uid: "1", groups: ["x", "y"], extra: { b: ["2"], a: ["1", "3"] } })).toBe(
    "ATTRIBUTE   VALUE\nUsername    a\nUID         1\nGroups      [x y]\nExtra: a    [1 3]\nExtra: b    [2]\n",
  )
  await using connection = await connectedCluster(alone)
  expect(await whoAmI(connection.cluster.as({ name: "alice", groups: ["dev"] }))).toBe(
    "ATTRIBUTE   VALUE\nUsername    alice\nGroups      [dev system:authenticated]\n",
  )
})

test.each([
  ["one word", "get", undefined, {}, "you must specify two arguments"],
  ["a list of one thing", "get", "pods", { list: true }, "list option must be specified with no arguments"],
  ["a quiet list", undefined, undefined, { list: true, quiet: true }, "list option can't be specified with neither quiet"],
  ["a subresource of a path", "get", "/x", { subresource: "log" }, "--subresource can not be used with NonResourceURL"],
  ["no titles of an answer", "get", "pods", { headers: false }, "--no-headers cannot be set without --list specified"],
])("refuses %s", (_what, verb, resource, options, message) => {
  expect(() => refuseContradictions(verb, resource, options)).toThrow(message)
})
