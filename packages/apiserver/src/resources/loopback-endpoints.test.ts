import { expect, test } from "vitest"
import { everyWay, statusIn } from "../testing/server.ts"

const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
const slice = (address: string) => ({
  metadata: { generateName: "s-" },
  addressType: "IPv4",
  endpoints: [{ addresses: [address] }],
  ports: [],
})

const old = (ip: string) => ({ metadata: { name: "e" }, subsets: [{ addresses: [{ ip }], ports: [{ port: 1 }] }] })

everyWay("endpoints on this host", (testServer) => {
  test.each([
    ["a loopback address is refused", {}, "127.116.1.1", 422],
    ["a loopback address is let through where pods are processes of this host", { allowLoopbackEndpoints: true }, "127.116.1.1", 201],
    ["a link-local one is not, there either", { allowLoopbackEndpoints: true }, "169.254.1.1", 422],
  ])("%s", async (_name, options, address, status) => {
    expect((await testServer(options).post(path, slice(address))).status).toBe(status)
  })

  test("Endpoints have no such addresses either (seen)", async () => {
    const api = testServer()
    const words = { "127.0.0.1": "loopback range (127.0.0.0/8, ::1/128)", "169.254.1.1": "link-local range (169.254.0.0/16, fe80::/10)" }
    for (const [ip, range] of Object.entries(words)) {
      expect(statusIn(await api.post("/api/v1/namespaces/default/endpoints", old(ip))).message).toBe(
        `Endpoints "e" is invalid: subsets[0].addresses[0].ip: Invalid value: "${ip}": may not be in the ${range}`,
      )
    }
  })

  test("Endpoints that have such an address already can be changed otherwise", async () => {
    const api = testServer()
    const path = "/api/v1/namespaces/default/endpoints/kubernetes"
    expect((await api.patch(path, "merge", { metadata: { annotations: { a: "1" } } })).status).toBe(200)
    const other = { subsets: [{ addresses: [{ ip: "127.0.0.2" }], ports: [{ port: 1 }] }] }
    expect((await api.patch(path, "merge", other)).status).toBe(422)
  })

  test("addresses that are not ready are looked at too", async () => {
    const object = { metadata: { name: "e" }, subsets: [{ notReadyAddresses: [{ ip: "127.0.0.1" }], ports: [{ port: 1 }] }] }
    expect(statusIn(await testServer().post("/api/v1/namespaces/default/endpoints", object)).message).toContain(
      "subsets[0].notReadyAddresses[0].ip",
    )
  })
})
