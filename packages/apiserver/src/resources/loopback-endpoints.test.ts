import { expect, test } from "vitest"
import { testServer } from "../test-server.ts"

const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
const slice = (address: string) => ({
  metadata: { generateName: "s-" },
  addressType: "IPv4",
  endpoints: [{ addresses: [address] }],
  ports: [],
})

test.each([
  ["a loopback address is refused", {}, "127.116.1.1", 422],
  ["a loopback address is let through where pods are processes of this host", { allowLoopbackEndpoints: true }, "127.116.1.1", 201],
  ["a link-local one is not, there either", { allowLoopbackEndpoints: true }, "169.254.1.1", 422],
])("%s", async (_name, options, address, status) => {
  expect((await testServer("in process", options).post(path, slice(address))).status).toBe(status)
})
