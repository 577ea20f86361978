import { seededRandom, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { createApiServer } from "../api-server.ts"
import { memoryStorage } from "../storage/memory.ts"
import { everyWay, objectIn } from "../testing/server.ts"

everyWay("a fresh server", (testServer) => {
  test("a fresh server has its namespaces", async () => {
    const names = objectIn(await testServer().get("/api/v1/namespaces")).items?.map(({ metadata }) => metadata.name)
    expect(names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"])
  })

  test("the API is a service with the first address of its range", async () => {
    const api = testServer({ serviceClusterIpRange: "10.0.0.0/24", advertise: { address: "192.0.2.1", port: 7443 } })
    expect(objectIn(await api.get("/api/v1/namespaces/default/services/kubernetes")).spec).toMatchObject({
      clusterIP: "10.0.0.1",
      ports: [{ name: "https", port: 443, targetPort: 7443, protocol: "TCP" }],
    })
    expect(objectIn(await api.get("/api/v1/namespaces/default/endpoints/kubernetes"))).toMatchObject({
      subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ name: "https", port: 7443 }] }],
    })
    expect(objectIn(await api.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"))).toMatchObject({
      metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
      endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true } }],
    })
  })

  test("the slice of an API with an IPv6 address says so", async () => {
    const api = testServer({ advertise: { address: "2001:db8::1", port: 7443 } })
    expect(objectIn(await api.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"))).toMatchObject({
      addressType: "IPv6",
      endpoints: [{ addresses: ["2001:db8::1"] }],
    })
  })

  test("the address of the API is not given to another service", async () => {
    const api = testServer()
    const body = { metadata: { name: "s" }, spec: { clusterIP: "10.96.0.1", ports: [{ port: 80 }] } }
    expect((await api.post("/api/v1/namespaces/default/services", body)).status).toBe(422)
  })

  test.each([
    ["system-cluster-critical", 2_000_000_000],
    ["system-node-critical", 2_000_001_000],
  ])("the priority class %s is there", async (name, value) => {
    expect(objectIn(await testServer().get(`/apis/scheduling.k8s.io/v1/priorityclasses/${name}`))).toMatchObject({ value })
  })

  test("requests have their levels and schemas, which all lead to one", async () => {
    const names = async (plural: string) => {
      const { items = [] } = objectIn(await testServer().get(`/apis/flowcontrol.apiserver.k8s.io/v1/${plural}`))
      return items
    }
    const levels = (await names("prioritylevelconfigurations")).map(({ metadata }) => metadata.name)
    expect(levels.join(" ")).toBe("catch-all exempt global-default leader-election node-high system workload-high workload-low")
    const schemas = await names("flowschemas")
    expect(schemas.map(({ metadata }) => metadata.name).join(" ")).toBe(
      "catch-all exempt global-default kube-controller-manager kube-scheduler kube-system-service-accounts probes service-accounts system-leader-election system-node-high system-nodes",
    )
    const led = schemas.map(({ spec = {} }) => (spec.priorityLevelConfiguration as { name: string }).name)
    expect(led.filter((name) => !levels.includes(name))).toEqual([])
  })

  test("what is there by itself is what the server would take from others, with nothing to add", async () => {
    const api = testServer()
    for (const path of [
      "flowschemas/system-nodes",
      "flowschemas/probes",
      "prioritylevelconfigurations/workload-low",
      "prioritylevelconfigurations/exempt",
    ]) {
      const kept = objectIn(await api.get(`/apis/flowcontrol.apiserver.k8s.io/v1/${path}`))
      const put = objectIn(await api.put(`/apis/flowcontrol.apiserver.k8s.io/v1/${path}`, kept))
      expect(put.metadata.resourceVersion, path).toBe(kept.metadata.resourceVersion)
    }
  })

  test("extension servers find the authority of client certificates", async () => {
    const api = testServer({ clientCa: "PEM" })
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
    expect(objectIn(await api.get(path)).data).toEqual({ "client-ca-file": "PEM" })
  })

  test("the controller manager can read since when the use of token Secrets is tracked", async () => {
    const path = "/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking"
    expect(objectIn(await testServer().get(path)).data?.since).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  test("a second start writes only what has changed: where the API is", async () => {
    const storage = memoryStorage()
    const start = async (port: number) => {
      const advertise = { address: "192.0.2.1", port }
      const server = createApiServer({ clock: new VirtualClock(), random: seededRandom(port), storage, advertise })
      await server.transport()({ verb: "GET", path: "/healthz", query: {}, headers: {} })
      return storage.revision
    }
    const first = await start(6443)
    expect(await start(6443)).toBe(first)
    expect(await start(6444)).toBe(first + 2)
  })
})

test.each([
  "/api/v1/namespaces/default/services/kubernetes",
  "/api/v1/namespaces/default/endpoints/kubernetes",
  "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
])("%s is recreated within ten seconds of its deletion", async (path) => {
  const clock = new VirtualClock()
  const server = createApiServer({ clock, random: seededRandom(1) })
  const ask = (verb: "GET" | "DELETE") => server.transport()({ verb, path, query: {}, headers: {} })
  const before = objectIn(await ask("GET"))
  for (let times = 0; times < 2; times++) {
    expect((await ask("DELETE")).status).toBe(200)
    expect((await ask("GET")).status).toBe(404)
    await clock.advance(10_000)
    const again = objectIn(await ask("GET"))
    expect(again.metadata.uid).not.toBe(before.metadata.uid)
    expect({ ...again, metadata: {} }).toEqual({ ...before, metadata: {} })
  }
  await server.close()
})

test("what could not be created again is retried, and what a user has deleted stays deleted", async () => {
  const clock = new VirtualClock()
  const storage = memoryStorage()
  let refused = 0
  const commit: typeof storage.commit = (writes, ...rest) => {
    const isMend = writes.some(({ key, expected }) => key.endsWith("/default/kubernetes") && expected === 0)
    return isMend && clock.elapsed() > 0 && refused++ === 0
      ? Promise.reject(new Error("the disk is full"))
      : storage.commit(writes, ...rest)
  }
  const failing = new Proxy(storage, { get: (of, field) => (field === "commit" ? commit : bound(of, field)) })
  const server = createApiServer({ clock, random: seededRandom(1), storage: failing })
  const ask = (verb: "GET" | "DELETE", path: string) => server.transport()({ verb, path, query: {}, headers: {} })
  const priorityClass = "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical"
  const service = "/api/v1/namespaces/default/services/kubernetes"
  for (const path of [priorityClass, service]) expect((await ask("DELETE", path)).status).toBe(200)
  await clock.advance(10_000)
  expect({ refused, status: (await ask("GET", service)).status }).toEqual({ refused: 1, status: 404 })
  await clock.advance(10_000)
  expect((await ask("GET", service)).status).toBe(200)
  expect((await ask("GET", priorityClass)).status).toBe(404)
  await server.close()
})

function bound<T extends object>(of: T, field: string | symbol): unknown {
  const found = Reflect.get(of, field, of)
  return typeof found === "function" ? found.bind(of) : found
}
