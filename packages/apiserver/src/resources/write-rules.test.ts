import { describe, expect, test } from "vitest"
import { memoryStorage } from "../storage/memory.ts"
import { everyWay, objectIn, statusIn, testServer } from "../testing/server.ts"

const core = "/api/v1/namespaces/default"
const frozen = "field is immutable when `immutable` is set"

everyWay("what one kind asks of its writers", (testServer) => {
  test("the plain texts of a Secret are written and never read back", async () => {
    const api = testServer()
    const made = objectIn(await api.post(`${core}/secrets`, { metadata: { name: "s" }, stringData: { a: "text" } }), 201)
    expect(made).toMatchObject({ data: { a: "dGV4dA==" } })
    expect(made).not.toHaveProperty("stringData")
    expect(objectIn(await api.get(`${core}/secrets/s`))).not.toHaveProperty("stringData")
  })

  test.each(["configmaps", "secrets"])("%s that are immutable stay so", async (plural) => {
    const api = testServer()
    objectIn(await api.post(`${core}/${plural}`, { metadata: { name: "a" }, data: { k: "dg==" }, immutable: true }), 201)
    const change = (body: object) => api.patch(`${core}/${plural}/a`, "merge", body)
    expect(statusIn(await change({ immutable: null })).message).toContain(`immutable: Forbidden: ${frozen}`)
    expect(statusIn(await change({ data: { k: "bmV3" } })).message).toContain(`data: Forbidden: ${frozen}`)
    objectIn(await change({ metadata: { labels: { a: "b" } } }))
  })

  test("a key of a ConfigMap is a text or bytes, not both", async () => {
    const body = { metadata: { name: "a" }, data: { k: "v" }, binaryData: { k: "dg==" } }
    expect(statusIn(await testServer().post(`${core}/configmaps`, body))).toMatchObject({
      code: 422,
      message: 'ConfigMap "a" is invalid: data[k]: Invalid value: "k": duplicate of key present in binaryData',
    })
  })

  test("the finalizers of a namespace's spec are changed by finalize alone", async () => {
    const api = testServer()
    objectIn(await api.post("/api/v1/namespaces", { metadata: { name: "n" } }), 201)
    const changed = objectIn(
      await api.patch("/api/v1/namespaces/n", "merge", { metadata: { labels: { a: "b" } }, spec: { finalizers: [] } }),
    )
    expect(changed).toMatchObject({ metadata: { labels: { a: "b" } }, spec: { finalizers: ["kubernetes"] } })
  })

  test.each([[{ podCIDR: "10.0.0.0/24" }], [{ podCIDRs: ["10.0.0.0/24"] }]])(
    "the addresses of a node's pods stand under both names: %j",
    async (spec) => {
      const made = objectIn(await testServer().post("/api/v1/nodes", { metadata: { name: "n" }, spec }), 201)
      expect(made.spec).toEqual({ podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] })
    },
  )
})

describe("a later start", () => {
  const slice = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"
  const config = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"

  test("publishes the new address of the server, and keeps the authority when none is passed", async () => {
    const storage = memoryStorage()
    const first = testServer("in process", { storage, advertise: { address: "192.0.2.1", port: 6443 }, clientCa: "ours" })
    expect(objectIn(await first.get(config)).data).toMatchObject({ "client-ca-file": "ours" })
    const second = testServer("in process", { storage, advertise: { address: "192.0.2.2", port: 7443 } })
    expect(objectIn(await second.get(slice))).toMatchObject({ endpoints: [{ addresses: ["192.0.2.2"] }], ports: [{ port: 7443 }] })
    expect(objectIn(await second.get(config)).data).toMatchObject({ "client-ca-file": "ours" })
  })
})
