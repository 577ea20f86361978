import { aborted } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { allWays, objectIn, said, statusIn, testServer } from "../testing/server.ts"

const pods = "/api/v1/namespaces/default/pods"
const pod = (name: string, labels = {}) => ({ metadata: { name, labels }, spec: { containers: [{ name: "c", image: "nginx" }] } })

describe.each(allWays)("the life of a pod, %s", (way) => {
  test("is created, read, listed, changed, patched and deleted", async () => {
    const api = testServer(way)
    const made = objectIn(await api.post(pods, pod("a")), 201)
    expect(made).toMatchObject({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "default", generation: 1 } })
    expect(made.spec).toMatchObject({ restartPolicy: "Always", dnsPolicy: "ClusterFirst", terminationGracePeriodSeconds: 30 })
    expect(made.status).toEqual({ phase: "Pending", qosClass: "BestEffort" })
    expect(objectIn(await api.get(`${pods}/a`))).toEqual(made)
    // On the wire the items of a list leave their kind to it.
    const { kind: _kind, apiVersion: _apiVersion, ...item } = made
    expect(objectIn(await api.get(pods)).items).toEqual([way.startsWith("over TLS") ? item : made])
    const changed = objectIn(await api.put(`${pods}/a`, { ...made, metadata: { ...made.metadata, labels: { x: "1" } } }))
    expect(changed.metadata.labels).toEqual({ x: "1" })
    const patched = objectIn(await api.patch(`${pods}/a`, "strategic", { metadata: { labels: { y: "2" } } }))
    expect(patched.metadata.labels).toEqual({ x: "1", y: "2" })
    objectIn(await api.delete(`${pods}/a`))
    expect((await api.get(`${pods}/a`)).status).toBe(404)
  })

  test("is seen by a watcher", async () => {
    const api = testServer(way)
    const watch = await api.watch(pods, { allowWatchBookmarks: "true" })
    expect(said(await watch.read())).toEqual(["BOOKMARK"])
    await api.post(pods, pod("a"))
    await api.patch(`${pods}/a`, "merge", { metadata: { labels: { x: "1" } } })
    await api.delete(`${pods}/a`)
    expect(said(await watch.read())).toEqual(["ADDED a", "MODIFIED a", "DELETED a"])
  })
})

describe.each(allWays)("paths and methods, %s", (way) => {
  test("an unknown path is a page of text", async () => {
    const api = testServer(way)
    for (const path of ["/nope", "/apis/example.com/v1/foos"]) {
      const { status, body } = await api.get(path)
      expect([status, body.type === "bytes" && body.contentType]).toEqual([404, "text/plain; charset=utf-8"])
      expect(body.type === "bytes" && new TextDecoder().decode(body.bytes)).toBe("404 page not found\n")
    }
  })

  test("an unknown resource or subresource of a known group is a Status", async () => {
    const api = testServer(way)
    await api.post(pods, pod("a"))
    for (const path of ["/api/v1/foos", `${pods}/a/foo`]) {
      expect(statusIn(await api.get(path))).toMatchObject({
        code: 404,
        reason: "NotFound",
        message: "the server could not find the requested resource",
      })
    }
  })

  test.each([
    ["a name with a namespace in it", "/api/v1/pods/default%2Fa/status"],
    ["a name without a namespace", "/api/v1/pods/a/status"],
    ["a namespace for what has none", "/api/v1/namespaces/default/nodes/n/status"],
  ])("a subresource by %s is not there", async (_, path) => {
    const api = testServer(way)
    await api.post(pods, pod("a"))
    await api.post("/api/v1/nodes", { metadata: { name: "n" } })
    expect(statusIn(await api.get(path))).toMatchObject({ code: 404, message: "the server could not find the requested resource" })
  })

  test("a name of a namespaced kind without a namespace is not there", async () => {
    const api = testServer(way)
    await api.post(pods, pod("a"))
    for (const response of [await api.get("/api/v1/pods/a"), await api.delete("/api/v1/pods/a")])
      expect(statusIn(response)).toMatchObject({ code: 404, message: "the server could not find the requested resource" })
  })

  test("no pod is evicted from a namespace that was not authorized", async () => {
    const api = testServer(way)
    await api.post(pods, pod("a"))
    expect((await api.post("/api/v1/pods/default%2Fa/eviction", { metadata: { name: "default/a" } })).status).toBe(404)
    expect((await api.get(`${pods}/a`)).status).toBe(200)
  })

  test("a slash is one however it is written", async () => {
    const api = testServer(way)
    await api.post(pods, pod("a"))
    expect(objectIn(await api.get("/api/v1/namespaces/default%2Fpods%2Fa")).metadata.name).toBe("a")
  })

  test("a verb that a resource does not have is a 405", async () => {
    const api = testServer(way)
    for (const response of [
      await api.delete("/api/v1/namespaces"),
      await api.post("/api/v1/pods", pod("a")),
      await api.post(`${pods}/a`, pod("a")),
      await api.delete(`${pods}/a/status`),
    ]) {
      expect(statusIn(response)).toMatchObject({
        code: 405,
        reason: "MethodNotAllowed",
        message: "the server does not allow this method on the requested resource",
      })
    }
  })

  test("an object that is not there is named with its group", async () => {
    const api = testServer(way)
    expect(statusIn(await api.get(`${pods}/zzz`))).toMatchObject({
      message: 'pods "zzz" not found',
      reason: "NotFound",
      details: { name: "zzz", kind: "pods" },
    })
    expect(statusIn(await api.get("/apis/apps/v1/namespaces/default/deployments/x"))).toMatchObject({
      message: 'deployments.apps "x" not found',
      details: { name: "x", group: "apps", kind: "deployments" },
    })
  })

  test("health and version", async () => {
    const api = testServer(way)
    for (const path of ["/healthz", "/livez", "/readyz", "/readyz/ping"]) {
      const { status, body } = await api.get(path)
      expect([status, body.type === "bytes" && new TextDecoder().decode(body.bytes)]).toEqual([200, "ok"])
    }
    const verbose = (await api.get("/readyz", { verbose: "" })).body
    expect(verbose.type === "bytes" && new TextDecoder().decode(verbose.bytes)).toContain("[+]ping ok\n")
    expect(objectIn(await api.get("/version"))).toMatchObject({ major: "1", minor: "36", gitVersion: "v1.36.3" })
  })

  test("every resource can be listed, with its own kind", async () => {
    const api = testServer(way)
    const documents = ["/api/v1", ...groupVersions(objectIn(await api.get("/apis")))]
    const counts = []
    for (const path of documents) {
      const { resources } = bodyOf(await api.get(path)) as { resources: { name: string; kind: string; verbs: string[] }[] }
      for (const { name, kind, verbs } of resources.filter(({ verbs }) => verbs.includes("list"))) {
        expect(objectIn(await api.get(`${path}/${name}`))).toMatchObject({ kind: `${kind}List` })
        counts.push(verbs.length)
      }
    }
    expect(counts.length).toBeGreaterThan(50)
  })
})

function groupVersions(list: unknown): string[] {
  return (list as { groups: { versions: { groupVersion: string }[] }[] }).groups.flatMap(({ versions }) =>
    versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  )
}

function bodyOf({ body }: { readonly body: unknown }): unknown {
  const { type, value, bytes } = body as { type: string; value: unknown; bytes: Uint8Array }
  return type === "bytes" ? JSON.parse(new TextDecoder().decode(bytes)) : value
}

test("a body above 3 MiB is refused", async () => {
  const transport = testServer().server.transport()
  const body = { type: "bytes", bytes: new Uint8Array(3 * 1024 * 1024 + 1), contentType: "application/json" } as const
  const response = await transport({ verb: "POST", path: "/api/v1/namespaces/default/configmaps", query: {}, headers: {}, body })
  expect(statusIn(response)).toMatchObject({ code: 413, message: "Request entity too large: limit is 3145728" })
})

test.each([
  ["nothing", {}, true],
  ["Background", { propagationPolicy: "Background" }, false],
  ["Orphan", { propagationPolicy: "Orphan" }, false],
])("deleting a job and saying %s of its pods warns: %o", async (_what, options, warns) => {
  const api = testServer()
  const jobs = "/apis/batch/v1/namespaces/default/jobs"
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } }
  await api.post(jobs, { metadata: { name: "j" }, spec: { template } })
  const { headers } = await api.delete(`${jobs}/j`, options)
  expect(headers.warning?.includes("child pods are preserved by default when jobs are deleted") ?? false).toBe(warns)
})

test.each<[what: string, failure: Error, messages: readonly string[]]>([
  ["that is given up is no fault of the server", aborted(AbortSignal.abort()), []],
  ["that fails by itself is logged as a fault", new Error("broken"), ["a request failed in a way it should not"]],
])("a request %s", async (_what, failure, messages) => {
  const transport = () => Promise.reject(failure)
  const api = testServer("in process", { extensions: [{ prefix: "/slow", transport }] })
  expect((await api.ask("GET", "/slow")).status).toBe(500)
  expect(api.lines.map(({ message }) => message)).toEqual(messages)
})
