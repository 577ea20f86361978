import { valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { everyWay, objectIn } from "../testing/server.ts"

const prefix = "/apis/metrics.k8s.io/v1beta1"
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
const extension = { prefix, transport: async () => ({ status: 200, headers: {}, body: valueBody({ kind: "NodeMetricsList" }) }) }

interface Groups {
  readonly groups?: readonly { readonly name: string }[]
  readonly items?: readonly { readonly metadata: { readonly name?: string } }[]
}

everyWay("a group that others answer", (testServer) => {
  test("a group that others answer is found by kubectl top, both ways of asking", async () => {
    const api = testServer({ extensions: [extension] })
    const plain = objectIn(await api.get("/apis")) as Groups
    expect(plain.groups?.map(({ name }) => name)).toContain("metrics.k8s.io")
    const whole = objectIn(await api.ask("GET", "/apis", { headers: { accept: aggregated } })) as Groups
    expect(whole.items?.map(({ metadata }) => metadata.name)).toContain("metrics.k8s.io")
    expect(objectIn(await api.get(prefix))).toMatchObject({ kind: "APIResourceList", groupVersion: "metrics.k8s.io/v1beta1" })
  })

  test("its resources are its own to answer", async () => {
    const api = testServer({ extensions: [extension] })
    expect(objectIn(await api.get(`${prefix}/nodes`))).toEqual({ kind: "NodeMetricsList" })
  })

  test("without an extension that serves it, it is not listed", async () => {
    const { groups } = objectIn(await testServer().get("/apis")) as Groups
    expect(groups?.map(({ name }) => name)).not.toContain("metrics.k8s.io")
  })

  test("a group without a descriptor lists its resources itself", async () => {
    const metric = {
      group: "custom.metrics.k8s.io",
      version: "v1beta2",
      kind: "MetricValueList",
      plural: "*/*",
      singular: "",
      verbs: ["get"],
    }
    const resources = [{ ...metric, shortNames: [], categories: [], namespaced: true, subresources: [] }]
    const own = { ...extension, prefix: "/apis/custom.metrics.k8s.io/v1beta2", resources }
    const api = testServer({ extensions: [extension, own] })
    expect(objectIn(await api.get(own.prefix))).toMatchObject({
      kind: "APIResourceList",
      resources: [{ name: "*/*", kind: "MetricValueList" }],
    })
  })
})
