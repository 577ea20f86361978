import { type Transport, type TransportRequest, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { debugAudience } from "./debug-audience.ts"
import { delegatedAccess } from "./delegated-access.ts"

const contentType = "text/plain"
const endpoints: Transport = async () => ({ status: 200, headers: {}, body: { type: "bytes", bytes: new Uint8Array(), contentType } })

/** Knows the token "good" as a user who may get /metrics and nothing else. */
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

test("a stranger could make it ask the API server without end: 20 unknown tokens a second, and 100 at once, are asked about", async () => {
  const { clock, asked, access } = counted()
  const ask = async (count: number, name: string) => {
    const answers = []
    for (let token = 0; token < count; token++) answers.push(await access(metrics(`${name}${token}`)))
    return answers
  }
  const first = await ask(1000, "a")
  expect([asked.length, first.filter(({ status }) => status === 429).length]).toEqual([100, 900])
  expect(first.at(-1)?.headers["retry-after"]).toBe("1")
  await clock.advance("1s")
  await ask(1000, "b")
  expect(asked).toHaveLength(120)
})

test("a token that was good before is asked about whatever strangers do, and what was said of it is not displaced", async () => {
  const { clock, access } = counted()
  expect((await access(metrics("good"))).status).toBe(200)
  for (let minute = 0; minute < 30; minute++) {
    for (let token = 0; token < 200; token++) await access(metrics(`${minute}-${token}`))
    expect((await access(metrics("good"))).status).toBe(200)
    await clock.advance("1m")
  }
})

test("no more than 20 reviews of strangers are under way, however slow the API server is", async () => {
  const clock = new VirtualClock()
  const answers: (() => void)[] = []
  const slow: Transport = async (request) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    return apiServer(request)
  }
  const access = delegatedAccess(endpoints, slow, clock)()
  const waiting = Array.from({ length: 50 }, (_, token) => access(metrics(`t${token}`)))
  expect(answers).toHaveLength(20)
  for (const answer of answers) answer()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect([statuses.filter((status) => status === 401).length, statuses.filter((status) => status === 429).length]).toEqual([20, 30])
})

test("a token that is too long is refused, and the API server is not asked", async () => {
  const { asked, access } = counted()
  expect((await access(metrics("x".repeat(20_000)))).status).toBe(401)
  expect(asked).toEqual([])
})

/** As an API server issues them; nothing here checks the signature. */
function tokenFor(aud: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  return [part({ alg: "none" }), part({ aud }), "signature"].join(".")
}

test.each<[name: string, aud: unknown, reviewed: readonly string[] | undefined, said: readonly string[] | undefined, status: number]>([
  ["of debug ports", [debugAudience], [debugAudience], [debugAudience], 200],
  ["of debug ports, as a text", debugAudience, [debugAudience], [debugAudience], 200],
  ["of debug ports, where the API server knows nothing of audiences", [debugAudience], [debugAudience], undefined, 401],
  ["of the API server", ["https://kubernetes.default.svc"], undefined, ["https://kubernetes.default.svc"], 200],
  ["of another service, which the API server refuses", ["vault"], undefined, [], 401],
])("a token %s", async (_name, aud, reviewed, said, status) => {
  const reviews: unknown[] = []
  const server: Transport = async (request) => {
    if (!request.path.endsWith("tokenreviews")) return apiServer(request)
    const { spec } = (request.body as { value: { spec: { audiences?: readonly string[] } } }).value
    reviews.push(spec.audiences)
    const answer = { authenticated: said?.length !== 0, user: { username: "ann" }, audiences: said }
    return { status: 201, headers: {}, body: { type: "value", value: { kind: "TokenReview", status: answer } } }
  }
  const access = delegatedAccess(endpoints, server, new VirtualClock())()
  expect((await access(metrics(tokenFor(aud)))).status).toBe(status)
  expect(reviews).toEqual([reviewed])
})

test("a caller who had gone was still asked about; now the reviews end with its request", async () => {
  const { asked, access } = counted()
  const { signal } = new AbortController()
  await access(metrics("good", signal))
  expect(asked.map((request) => request.signal)).toEqual([signal, signal])
})

test("a certificate of --client-ca-file says whose it is: it is asked what that user may see; one of no user is as none", async () => {
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
