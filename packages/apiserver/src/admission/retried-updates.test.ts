// Another writer is faster than a request that admission has decided on: its object is built from what is stored then, and admission decides again.
import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../testing/server.ts"
import { allowed, configMaps, configurations, dialing, patchOf, type Review, webhook } from "./webhook/testing/webhooks.ts"

const path = `${configMaps}/a`
type Api = ReturnType<typeof testServer>

/** Requests that are made from what is stored, and so again where that has changed. */
const requests: Readonly<Record<string, (api: Api) => ReturnType<Api["put"]>>> = {
  "an apply": (api) => api.apply(path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { ours: "1" } }),
  "a merge patch": (api) => api.patch(path, "merge", { data: { ours: "1" } }),
  "a JSON patch": (api) => api.patch(path, "json", [{ op: "add", path: "/data/ours", value: "1" }]),
  "a strategic merge patch": (api) => api.patch(path, "strategic", { data: { ours: "1" } }),
}

const dataIn = (object: unknown) => (object as { readonly data?: object } | null)?.data
const isOurs = ({ request }: Review) => "ours" in (dataIn(request.object) ?? {})

/** A stored ConfigMap, and a webhook: while it decides on the request for the first time, another client writes what it is given. */
async function overtaken(type: "mutating" | "validating", faster: object, answer: (review: Review) => object) {
  let count = 0
  const { dial, reviews } = dialing({
    a: async (review) => {
      if (isOurs(review) && count++ === 0) objectIn(await api.patch(path, "merge", faster, { fieldManager: "faster" }))
      return answer(review)
    },
  })
  const api = testServer("in process", { dial })
  objectIn(await api.post(configMaps, { metadata: { name: "a" }, data: { theirs: "0" } }), 201)
  objectIn(await api.post(configurations(type), { metadata: { name: "hooks" }, webhooks: [webhook("a")] }), 201)
  return { api, seen: () => (reviews.a ?? []).filter(isOurs).map(({ request }) => [dataIn(request.oldObject), dataIn(request.object)]) }
}

describe.each(Object.entries(requests))("%s that loses against another writer", (_, send) => {
  test.each(["mutating", "validating"] as const)("is shown to a %s webhook again, with the newest object", async (type) => {
    const { api, seen } = await overtaken(type, { data: { theirs: "1" } }, () => allowed)
    expect(objectIn(await send(api)).data).toEqual({ theirs: "1", ours: "1" })
    expect(seen()).toEqual([
      [{ theirs: "0" }, { theirs: "0", ours: "1" }],
      [{ theirs: "1" }, { theirs: "1", ours: "1" }],
    ])
  })

  test("stores what a webhook makes of the newest object, and nothing that it made of an earlier one", async () => {
    const { api } = await overtaken("mutating", { data: { theirs: "1" } }, ({ request }) => {
      const { theirs } = dataIn(request.object) as { readonly theirs: string }
      return patchOf({ op: "add", path: `/data/made-of-${theirs}`, value: "yes" })
    })
    // The other writer's own request was shown to the webhook too.
    expect(objectIn(await send(api)).data).toEqual({ theirs: "1", ours: "1", "made-of-1": "yes" })
  })

  test("is refused where the newest object breaks a policy that the earlier one held", async () => {
    const { api } = await overtaken("validating", { metadata: { labels: { locked: "yes" } } }, () => allowed)
    const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
    const resourceRules = [{ operations: ["UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }]
    const validations = [
      { expression: "!has(oldObject.metadata.labels) || !('locked' in oldObject.metadata.labels)", message: "it is locked" },
    ]
    objectIn(await api.post(policies, { metadata: { name: "lock" }, spec: { matchConstraints: { resourceRules }, validations } }), 201)
    objectIn(
      await api.post(`${policies.replace("policies", "policybindings")}`, {
        metadata: { name: "lock" },
        spec: { policyName: "lock", validationActions: ["Deny"] },
      }),
      201,
    )
    expect(statusIn(await send(api)).message).toContain("denied request: it is locked")
    expect(objectIn(await api.get(path)).data).toEqual({ theirs: "0" })
  })
})

test("a delete that loses against another writer is shown to a webhook again, with the newest object", async () => {
  const seen: unknown[] = []
  const { dial } = dialing({
    a: async ({ request }) => {
      if (request.operation !== "DELETE") return allowed
      if (seen.push(dataIn(request.oldObject)) === 1) objectIn(await api.patch(path, "merge", { data: { keep: "yes" } }))
      return { allowed: (dataIn(request.oldObject) as { readonly keep?: string }).keep === undefined, status: { message: "it is kept" } }
    },
  })
  const api = testServer("in process", { dial })
  objectIn(await api.post(configMaps, { metadata: { name: "a" }, data: { a: "b" } }), 201)
  objectIn(await api.post(configurations("validating"), { metadata: { name: "hooks" }, webhooks: [webhook("a")] }), 201)
  expect(statusIn(await api.delete(path)).message).toBe('admission webhook "a.example.com" denied the request: it is kept')
  expect(seen).toEqual([{ a: "b" }, { a: "b", keep: "yes" }])
  expect(objectIn(await api.get(path)).data).toEqual({ a: "b", keep: "yes" })
})

const ranges = "/api/v1/namespaces/default/limitranges"
const range = (label: string) => ({
  apiVersion: "v1",
  kind: "LimitRange",
  metadata: { name: "a", labels: { [label]: "1" } },
  spec: { limits: [] },
})

test.each<[string, (api: Api) => ReturnType<Api["put"]>, object]>([
  ["an apply", (api) => api.apply(`${ranges}/a`, range("ours")), { theirs: "1", ours: "1" }],
  ["an update", (api) => api.put(`${ranges}/a`, range("ours")), { ours: "1" }],
])("%s that would create what another writer has created meanwhile changes that, and is shown to webhooks so", async (_, send, labels) => {
  const { dial, reviews } = dialing({
    a: async () => {
      if (reviews.a?.length === 1) objectIn(await api.post(ranges, range("theirs")), 201)
      return allowed
    },
  })
  const api = testServer("in process", { dial })
  const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["limitranges"] }]
  objectIn(await api.post(configurations("mutating"), { metadata: { name: "hooks" }, webhooks: [webhook("a", { rules })] }), 201)
  expect(objectIn(await send(api), 200).metadata.labels).toEqual(labels)
  const shown = (reviews.a ?? []).map(({ request }) => [
    request.operation,
    (request.object.metadata as { readonly labels?: object }).labels,
  ])
  expect(shown).toEqual([
    ["CREATE", { ours: "1" }],
    ["CREATE", { theirs: "1" }],
    ["UPDATE", labels],
  ])
})
