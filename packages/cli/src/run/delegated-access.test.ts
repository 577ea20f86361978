import { type Transport, type TransportRequest, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { delegatedAccess } from "./delegated-access.ts"

const contentType = "text/plain"
const endpoints: Transport = async () => ({ status: 200, headers: {}, body: { type: "bytes", bytes: new Uint8Array(), contentType } })

/** Knows the token "good" as somebody who may get /metrics and nothing else. */
const apiServer: Transport = async ({ path, body }) => {
  const { spec } = (body?.type === "value" ? body.value : {}) as { spec: { token?: string; nonResourceAttributes?: { path: string } } }
  const status = path.endsWith("tokenreviews")
    ? { authenticated: spec.token === "good", user: { username: "ann" } }
    : { allowed: spec.nonResourceAttributes?.path === "/metrics" }
  return { status: 201, headers: {}, body: { type: "value", value: { kind: "Review", apiVersion: "v1", status } } }
}

test.each<[name: string, path: string, authorization: string | undefined, status: number]>([
  ["health needs no token", "/healthz", undefined, 200],
  ["a part of health neither", "/readyz/leaderElection", undefined, 200],
  ["metrics need one", "/metrics", undefined, 401],
  ["a wrong one is refused", "/metrics", "Bearer bad", 401],
  ["a good one is let in", "/metrics", "Bearer good", 200],
  ["only where its user may go", "/debug/trace", "Bearer good", 403],
])("%s", async (_name, path, authorization, status) => {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  const access = delegatedAccess(endpoints, apiServer, new VirtualClock())()
  expect((await access({ verb: "GET", path, query: {}, headers })).status).toBe(status)
  expect((await access({ verb: "GET", path, query: {}, headers })).status).toBe(status)
})

const metrics = (token: string, signal?: AbortSignal): TransportRequest => {
  return { verb: "GET", path: "/metrics", query: {}, headers: { authorization: `Bearer ${token}` }, signal }
}

/** With what was asked of the API server. */
function counted() {
  const clock = new VirtualClock()
  const asked: TransportRequest[] = []
  const counting: Transport = (request) => {
    asked.push(request)
    return apiServer(request)
  }
  return { clock, asked, access: delegatedAccess(endpoints, counting, clock)() }
}

test("every scrape cost two reviews; now an answer is kept for 10 s", async () => {
  const { clock, asked, access } = counted()
  for (let second = 0; second < 10; second++) {
    await access(metrics("good"))
    await access(metrics("bad"))
    await clock.advance("1s")
  }
  expect(asked).toHaveLength(3)
  expect((await access(metrics("good"))).status).toBe(200)
  expect(asked).toHaveLength(5)
})

test("one token's answer is not another's", async () => {
  const { access } = counted()
  expect([(await access(metrics("good"))).status, (await access(metrics("bad"))).status]).toEqual([200, 401])
})

test("no more than 1,000 answers are kept", async () => {
  const { asked, access } = counted()
  await access(metrics("first"))
  for (let token = 0; token < 1000; token++) await access(metrics(`t${token}`))
  await access(metrics("t999"))
  expect(asked).toHaveLength(1001)
  await access(metrics("first"))
  expect(asked).toHaveLength(1002)
})

test("a caller who had gone was still asked about; now the reviews end with its request", async () => {
  const { asked, access } = counted()
  const { signal } = new AbortController()
  await access(metrics("good", signal))
  expect(asked.map((request) => request.signal)).toEqual([signal, signal])
})

test("a certificate of --client-ca-file says whose it is: it is asked what that user may see; one of nobody's is as none", async () => {
  const asked: unknown[] = []
  const counting: Transport = (request) => {
    asked.push(request.body?.type === "value" ? request.body.value : undefined)
    return apiServer(request)
  }
  const access = delegatedAccess(endpoints, counting, new VirtualClock())
  const ben = { commonName: "ben", organizations: ["ops"], fingerprint: "ab" }
  const get = (path: string): TransportRequest => ({ verb: "GET", path, query: {}, headers: {} })
  const statuses = [await access(ben)(get("/metrics")), await access(ben)(get("/debug/trace")), await access("untrusted")(get("/metrics"))]
  expect(statuses.map(({ status }) => status)).toEqual([200, 403, 401])
  expect(asked).toMatchObject([{ spec: { user: "ben", groups: ["ops", "system:authenticated"] } }, { kind: "SubjectAccessReview" }])
})
