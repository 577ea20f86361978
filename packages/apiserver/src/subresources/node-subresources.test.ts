import { type TransportRequest, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"
import { certificateRequest } from "../validation/testing/certificate-requests.ts"

const pods = "/api/v1/namespaces/default/pods"
const container = (name: string) => ({ name, image: "i" })
const pod = (spec = {}) => ({ metadata: { name: "p" }, spec: { containers: [container("c")], ...spec } })
const two = { containers: [container("a"), container("b")] }

const refusals = [
  ["exec of a pod on no node", {}, "exec", {}, 400, "pod p does not have a host assigned"],
  ["attach of a pod on no node", {}, "attach", {}, 400, "pod p does not have a host assigned"],
  ["portforward of a pod on no node", {}, "portforward", {}, 400, "pod p does not have a host assigned"],
  ["proxy to a pod without an address", {}, "proxy", {}, 400, "address not allowed"],
  ["log of a container that is not there", {}, "log", { container: "x" }, 400, "container x is not valid for pod p"],
  ["log without saying which container", two, "log", {}, 400, "a container name must be specified for pod p, choose one of: [a b]"],
  ["log with a bad number", {}, "log", { tailLines: "x" }, 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ["exec without asking for another protocol", { nodeName: "n" }, "exec", {}, 400, "Upgrade request required"],
  ["log where no kubelet answers", { nodeName: "n" }, "log", {}, 503, 'the kubelet of node "n" cannot be reached from this server'],
] as const

everyWay("what a node answers", (testServer, way) => {
  test.each(refusals)("%s", async (...row) => {
    const [, spec, subresource, query, code, message] = row
    const api = testServer()
    await api.post(pods, pod(spec))
    expect(statusIn(await api.get(`${pods}/p/${subresource}`, query))).toMatchObject({ kind: "Status", code, message })
  })

  test.each(["log", "exec", "attach", "portforward", "proxy"])("%s of a pod that is not there is a 404", async (subresource) => {
    expect(statusIn(await testServer().get(`${pods}/none/${subresource}`))).toMatchObject({ code: 404, message: 'pods "none" not found' })
  })

  test("the log of a pod on no node is empty", async () => {
    const api = testServer()
    await api.post(pods, pod())
    expect((await api.get(`${pods}/p/log`)).status).toBe(204)
  })

  test("a pod on a node is asked for at its kubelet, without the caller's credentials", async () => {
    const asked: TransportRequest[] = []
    const kubelet = () => async (request: TransportRequest) => {
      asked.push(request)
      return { status: 200, headers: {}, body: valueBody("hello") }
    }
    const api = testServer({ kubelet })
    await api.post(pods, pod({ nodeName: "n" }))
    await api.post("/api/v1/nodes", { metadata: { name: "n" } })
    const headers = { authorization: "Bearer t" }
    await api.ask("GET", `${pods}/p/log`, { query: { container: "c", tailLines: "5" }, headers })
    // Over HTTP/2 there is nothing to upgrade: what asks so comes over HTTP/1.1.
    if (!way.startsWith("over TLS")) {
      const upgrade = { connection: "Upgrade", upgrade: "SPDY/3.1" }
      await api.ask("POST", `${pods}/p/exec`, { query: { command: ["ls", "-l"] }, headers: upgrade })
      expect(asked.pop()).toMatchObject({ verb: "POST", path: "/exec/default/p/c", query: { command: ["ls", "-l"] } })
    }
    await api.get("/api/v1/nodes/n/proxy/stats/summary")
    expect(asked.map(({ verb, path, query }) => [verb, path, query])).toEqual([
      ["GET", "/containerLogs/default/p/c", { tailLines: "5" }],
      ["GET", "/stats/summary", {}],
    ])
    expect(asked[0]?.headers).not.toHaveProperty("authorization")
  })

  test("what a kubelet says of its connection is not said of the client's", async () => {
    const headers = { "content-type": "text/plain", connection: "keep-alive", "transfer-encoding": "chunked", "x-own": "1" }
    const bytes = { type: "bytes", bytes: Buffer.from("hello"), contentType: "text/plain" } as const
    const api = testServer({ kubelet: () => async () => ({ status: 200, headers, body: bytes }) })
    await api.post(pods, pod({ nodeName: "n" }))
    const answered = await api.get(`${pods}/p/log`)
    expect([answered.status, answered.headers["x-own"], answered.headers["transfer-encoding"]]).toEqual([200, "1", undefined])
  })

  test("a debug container can be added, and not be changed", async () => {
    const api = testServer()
    await api.post(pods, pod())
    const debug = { name: "d", image: "busybox", targetContainerName: "c" }
    const path = `${pods}/p/ephemeralcontainers`
    const { spec } = objectIn(await api.patch(path, "strategic", { spec: { ephemeralContainers: [debug] } }))
    expect(spec?.ephemeralContainers).toMatchObject([{ name: "d", imagePullPolicy: "Always" }])
    const changed = await api.patch(path, "strategic", { spec: { ephemeralContainers: [{ ...debug, image: "other" }] } })
    expect(statusIn(changed)).toMatchObject({ code: 422, details: { causes: [{ field: "spec.ephemeralContainers" }] } })
  })

  test("resize without containers is refused as any such pod, not a fault of the server (found by fuzz, seed 2213176646)", async () => {
    const api = testServer()
    const made = objectIn(await api.post(pods, pod("p")), 201)
    expect(statusIn(await api.put(`${pods}/p/resize`, { ...made, spec: {} }))).toMatchObject({
      code: 422,
      message: expect.stringContaining("spec.containers: Required value"),
    })
  })

  test("resize changes sizes and nothing else", async () => {
    const api = testServer()
    const sized = (cpu: string, image = "i") => ({ spec: { containers: [{ name: "c", image, resources: { requests: { cpu } } }] } })
    await api.post(pods, { metadata: { name: "p" }, ...sized("100m") })
    const grown = objectIn(await api.patch(`${pods}/p/resize`, "strategic", sized("200m")))
    expect(grown).toMatchObject({ metadata: { generation: 2 }, ...sized("200m") })
    // Other changes are dropped, as upstream drops them.
    const again = objectIn(await api.patch(`${pods}/p/resize`, "strategic", sized("200m", "other")))
    expect(again).toMatchObject({ metadata: { generation: 2 }, ...sized("200m") })
    const more = { spec: { containers: [{ name: "d", image: "i" }] } }
    expect(statusIn(await api.patch(`${pods}/p/resize`, "strategic", more)).message).toContain(
      "spec: Forbidden: only cpu and memory resources are mutable",
    )
  })

  test("resize is refused where a running container has no sizes in its status", async () => {
    const api = testServer()
    const sized = (cpu: string) => ({ spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }] } })
    await api.post(pods, { metadata: { name: "p" }, ...sized("100m") })
    const running = { name: "c", ready: true, restartCount: 0, image: "i", imageID: "", state: { running: {} } }
    objectIn(await api.patch(`${pods}/p/status`, "merge", { status: { containerStatuses: [running] } }))
    expect(statusIn(await api.patch(`${pods}/p/resize`, "strategic", sized("200m")))).toMatchObject({
      code: 422,
      message: 'Pod "p" is invalid: spec: Forbidden: Pod running on node without support for resize',
    })
  })

  test("a request for a certificate is approved once, and not denied as well", async () => {
    const api = testServer()
    const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    const spec = { request: certificateRequest, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] }
    const made = objectIn(await api.post(requests, { metadata: { name: "r" }, spec }), 201)
    const decided = (...types: string[]) => ({
      ...made,
      status: { conditions: types.map((type) => ({ type, status: "True", reason: "R" })) },
    })
    const without = (body: typeof made) => ({ ...body, metadata: { name: "r" } })
    const approved = objectIn(await api.put(`${requests}/r/approval`, without(decided("Approved"))))
    expect(approved.status?.conditions).toMatchObject([{ type: "Approved", lastUpdateTime: expect.any(String) }])
    expect(statusIn(await api.put(`${requests}/r/approval`, without(decided("Approved", "Denied"))))).toMatchObject({ code: 422 })
    expect(statusIn(await api.put(`${requests}/r/approval`, without(decided())))).toMatchObject({ code: 422 })
  })

  test("the status of a request for a certificate takes no decision, and its certificate once", async () => {
    const api = testServer()
    const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    const spec = { request: certificateRequest, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] }
    objectIn(await api.post(requests, { metadata: { name: "r" }, spec }), 201)
    const write = (subresource: string, status: object) => api.patch(`${requests}/r/${subresource}`, "merge", { status })
    const conditions = [{ type: "Approved", status: "True", reason: "R" }]
    expect(statusIn(await write("status", { conditions })).message).toContain('updates may not add a condition of type "Approved"')
    const approved = objectIn(await write("approval", { conditions }))
    const changed = objectIn(
      await write("status", { conditions: [{ type: "Approved", status: "True", reason: "Other" }], certificate: "YQ==" }),
    )
    expect(changed.status).toEqual({ ...approved.status, certificate: "YQ==" })
    expect(statusIn(await write("status", { certificate: "Yg==" })).message).toContain(
      "updates may not modify existing certificate content",
    )
  })
})
