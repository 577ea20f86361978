import { expect, test } from "vitest"
import { everyWay } from "../testing/server.ts"

everyWay("deprecated kinds", (testServer) => {
  test.each([
    ["/api/v1/componentstatuses", "v1 ComponentStatus is deprecated in v1.19+"],
    ["/api/v1/endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
    ["/api/v1/namespaces/default/endpoints/kubernetes", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
  ])("%s says so", async (path, text) => {
    expect((await testServer().get(path)).headers.warning).toBe(`299 - "${text}"`)
  })

  test("and no other", async () => {
    expect((await testServer().get("/api/v1/namespaces")).headers.warning).toBeUndefined()
    expect((await testServer().get("/apis/discovery.k8s.io/v1/endpointslices")).headers.warning).toBeUndefined()
  })
})
