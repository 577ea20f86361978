import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import { memoryStorage } from "../../storage/memory.ts"
import { objectIn, testServer } from "../../testing/server.ts"
import { widgets } from "../testing/definitions.ts"

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

type Api = ReturnType<typeof testServer>

/** A definition of the group, with the short name "s". */
function definition(plural: string, shortNames: readonly string[] = ["s"]): CustomResourceDefinition {
  const { spec, ...rest } = widgets()
  const kind = plural.replace(/^./, (first) => first.toUpperCase())
  return { ...rest, metadata: { name: `${plural}.example.com` }, spec: { ...spec, names: { plural, kind, shortNames } } }
}

async function stored(api: Api, plural: string): Promise<CustomResourceDefinition> {
  return objectIn(await api.get(`${path}/${plural}.example.com`)) as unknown as CustomResourceDefinition
}

const conditionsOf = ({ status }: CustomResourceDefinition) =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]))
const established = { NamesAccepted: "True NoConflicts", Established: "True InitialNamesAccepted" }

/** A server, and what each commit of definitions had. */
function countedServer() {
  const storage = memoryStorage()
  const commits: number[] = []
  const commit: typeof storage.commit = (writes) => {
    const count = writes.filter(({ key }) => key.includes("customresourcedefinitions")).length
    if (count > 0) commits.push(count)
    return storage.commit(writes)
  }
  const counted = new Proxy(storage, {
    get: (target, key) => (key === "commit" ? commit : bound(Reflect.get(target, key) as unknown, target)),
  })
  return { api: testServer("in process", { storage: counted }), commits }
}

function bound(value: unknown, target: object): unknown {
  return typeof value === "function" ? (value.bind(target) as unknown) : value
}

test("a definition is stored, named and established in one commit, and the create answers with its first state", async () => {
  const { api, commits } = countedServer()
  const made = objectIn(await api.post(path, definition("as")), 201)
  expect(made.status).toMatchObject({ conditions: [], acceptedNames: { plural: "", kind: "" } })
  const now = await stored(api, "as")
  expect(conditionsOf(now)).toEqual(established)
  expect(Number(now.metadata.resourceVersion) - Number(made.metadata.resourceVersion)).toBe(2)
  await api.clock.settle()
  expect(commits).toEqual([3])
})

test("the server owns the status that it writes, and the client the rest", async () => {
  const api = testServer()
  objectIn(await api.askShown("POST", path, { body: definition("as"), query: { fieldManager: "tester" } }), 201)
  const { managedFields = [] } = objectIn(await api.askShown("GET", `${path}/as.example.com`)).metadata
  expect(managedFields.map(({ manager, operation, subresource }) => [manager, operation, subresource])).toEqual([
    ["kube-apiserver", "Update", "status"],
    ["tester", "Update", undefined],
  ])
  expect(managedFields[0]!.fieldsV1).toMatchObject({
    "f:status": { "f:acceptedNames": { "f:plural": {} }, "f:conditions": { 'k:{"type":"Established"}': { "f:status": {} } } },
  })
})

test.each(["in process", "on disk"] as const)("definitions of one moment do not get the same name, %s", async (way) => {
  const api = testServer(way)
  const made = await Promise.all(["as", "bs", "cs"].map((plural) => api.post(path, definition(plural))))
  for (const response of made) objectIn(response, 201)
  await api.clock.settle()
  const all = await Promise.all(["as", "bs", "cs"].map(async (plural) => conditionsOf(await stored(api, plural))))
  const refused = { NamesAccepted: "False ShortNamesConflict", Established: "False NotAccepted" }
  expect(all.sort((one, other) => one.Established!.localeCompare(other.Established!))).toEqual([refused, refused, established])
})

test("a definition whose names are in use is established when the other one gives them up", async () => {
  const api = testServer()
  objectIn(await api.post(path, definition("as")), 201)
  objectIn(await api.post(path, definition("bs")), 201)
  expect(conditionsOf(await stored(api, "bs"))).toMatchObject({ NamesAccepted: "False ShortNamesConflict" })
  const first = await stored(api, "as")
  const names = { ...first.spec.names, shortNames: ["t"] }
  objectIn(await api.put(`${path}/as.example.com`, { ...first, spec: { ...first.spec, names } }))
  await api.clock.settle()
  expect(conditionsOf(await stored(api, "bs"))).toEqual(established)
})

test("the names of a definition that could not be stored are free", async () => {
  const storage = memoryStorage()
  let full = false
  const commit: typeof storage.commit = (writes) => (full ? Promise.reject(new Error("no room")) : storage.commit(writes))
  const counted = new Proxy(storage, {
    get: (target, key) => (key === "commit" ? commit : bound(Reflect.get(target, key) as unknown, target)),
  })
  const api = testServer("in process", { storage: counted })
  await api.get(path)
  full = true
  expect((await api.post(path, definition("as"))).status).toBe(500)
  full = false
  objectIn(await api.post(path, definition("bs")), 201)
  expect(conditionsOf(await stored(api, "bs"))).toEqual(established)
})

test("a policy that may decide on the status of definitions sees each update", async () => {
  const { api, commits } = countedServer()
  const policies = "/apis/admissionregistration.k8s.io/v1"
  const resourceRules = [
    {
      apiGroups: ["apiextensions.k8s.io"],
      apiVersions: ["*"],
      operations: ["UPDATE"],
      resources: ["customresourcedefinitions/status"],
    },
  ]
  const validations = [{ expression: "!object.status.conditions.exists(c, c.type == 'Established' && c.status == 'True')" }]
  const spec = { matchConstraints: { resourceRules }, validations, failurePolicy: "Fail" }
  objectIn(await api.post(`${policies}/validatingadmissionpolicies`, { metadata: { name: "p" }, spec }), 201)
  const binding = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"] } }
  objectIn(await api.post(`${policies}/validatingadmissionpolicybindings`, binding), 201)
  objectIn(await api.post(path, definition("as")), 201)
  await api.clock.settle()
  expect(conditionsOf(await stored(api, "as"))).toEqual({ NamesAccepted: "True NoConflicts", Established: "False Installing" })
  expect(commits).toEqual([1, 1])
})

test("a deleted definition says every minute that objects are left, until the last one is gone", async () => {
  const api = testServer()
  objectIn(await api.post(path, definition("as")), 201)
  const objects = "/apis/example.com/v1/namespaces/default/as"
  const held = { apiVersion: "example.com/v1", kind: "As", metadata: { name: "held", finalizers: ["example.com/hold"] }, spec: { size: 1 } }
  objectIn(await api.post(objects, held), 201)
  const watch = await api.watch(path)
  await watch.read()
  objectIn(await api.delete(`${path}/as.example.com`))
  const reasons = async () =>
    (await watch.read()).map(({ type, object }) =>
      type === "DELETED" ? type : conditionsOf(object as unknown as CustomResourceDefinition).Terminating,
    )
  expect(await reasons()).toEqual(["True InstanceDeletionPending", "True InstanceDeletionInProgress"])
  await api.clock.advance("59s")
  expect(await reasons()).toEqual([])
  for (const wait of ["1s", "60s"] as const) {
    await api.clock.advance(wait)
    expect(await reasons()).toEqual(["True InstanceDeletionCheck", "True InstanceDeletionInProgress"])
  }
  objectIn(await api.patch(`${objects}/held`, "merge", { metadata: { finalizers: null } }))
  expect(await reasons()).toEqual(["DELETED"])
  expect((await api.get(`${path}/as.example.com`)).status).toBe(404)
})
