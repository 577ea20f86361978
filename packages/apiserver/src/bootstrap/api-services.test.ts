import { expect, test } from "vitest"
import { objectIn, testServer } from "../testing/server.ts"

const path = "/apis/apiregistration.k8s.io/v1/apiservices"
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const label = "kube-aggregator.kubernetes.io/automanaged"

interface Found {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly labels?: object }; readonly spec: object }[]
}

type Api = ReturnType<typeof testServer>

async function named(api: Api, name: string) {
  await api.clock.settle()
  const { items } = objectIn(await api.get(path)) as unknown as Found
  return items.find(({ metadata }) => metadata.name === name)
}

function definition(versions: readonly string[], plural = "widgets"): object {
  const openAPIV3Schema = { type: "object" }
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind: plural === "widgets" ? "Widget" : "Gadget" },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema: { openAPIV3Schema } })),
    },
  }
}

test("what the server answers itself has a local APIService that is available", async () => {
  const api = testServer()
  expect(await named(api, "v1.apps")).toMatchObject({
    metadata: { labels: { [label]: "onstart" } },
    spec: { group: "apps", version: "v1", groupPriorityMinimum: 17_800, versionPriority: 15 },
    status: { conditions: [{ type: "Available", status: "True", reason: "Local", message: "Local APIServices are always available" }] },
  })
  expect(await named(api, "v1.")).toMatchObject({ spec: { version: "v1", groupPriorityMinimum: 18_000, versionPriority: 1 } })
  expect(await named(api, "v1.apiregistration.k8s.io")).toBeUndefined()
})

test("an extension of the process has one that a metrics-server of the user may replace", async () => {
  const transport = async () => ({ status: 200, headers: {}, body: { type: "value", value: {} } }) as const
  const api = testServer("in process", { extensions: [{ prefix: "/apis/metrics.k8s.io/v1beta1", transport }] })
  const found = await named(api, "v1beta1.metrics.k8s.io")
  expect(found).toMatchObject({ spec: { groupPriorityMinimum: 100, versionPriority: 100 } })
  expect(found?.metadata.labels).toBeUndefined()
})

test("group versions of definitions have one for as long as a definition serves them", async () => {
  const api = testServer()
  objectIn(await api.post(definitions, definition(["v1", "v2"])), 201)
  objectIn(await api.post(definitions, definition(["v1"], "gadgets")), 201)
  expect(await named(api, "v2.example.com")).toMatchObject({
    metadata: { labels: { [label]: "true" } },
    spec: { group: "example.com", version: "v2", groupPriorityMinimum: 1000, versionPriority: 100 },
  })
  objectIn(await api.delete(`${definitions}/widgets.example.com`))
  expect(await named(api, "v2.example.com")).toBeUndefined()
  expect(await named(api, "v1.example.com")).toBeDefined()
  objectIn(await api.delete(`${definitions}/gadgets.example.com`))
  expect(await named(api, "v1.example.com")).toBeUndefined()
})

test("one that is deleted or changed is recreated for a definition, and one of the server's own only at its next start", async () => {
  const api = testServer()
  objectIn(await api.post(definitions, definition(["v1"])), 201)
  expect(await named(api, "v1.example.com")).toBeDefined()
  objectIn(await api.delete(`${path}/v1.example.com`))
  expect(await named(api, "v1.example.com")).toBeDefined()
  objectIn(await api.patch(`${path}/v1.example.com`, "merge", { spec: { versionPriority: 7 } }))
  expect(await named(api, "v1.example.com")).toMatchObject({ spec: { versionPriority: 100 } })
  objectIn(await api.delete(`${path}/v1.apps`))
  expect(await named(api, "v1.apps")).toBeUndefined()
})
