import {
  noBody,
  PilothouseError,
  scriptedTransport,
  seededRandom,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type Verb,
  VirtualClock,
} from "@pilothouse/seams"
import { carrierContract, echoServer, transportContract } from "@pilothouse/seams/contract"
import { describe, expect, test } from "vitest"
import { type RetryOptions, retrying } from "./retry.ts"

const ok: TransportResponse = { status: 200, headers: {}, body: noBody }

function request(verb: Verb, more: Partial<TransportRequest> = {}): TransportRequest {
  return { verb, path: "/x", query: {}, headers: {}, ...more }
}

function refusal(status: number, retryAfter?: string): TransportResponse {
  return { status, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter }, body: noBody }
}

interface Tried {
  readonly status: number | string
  readonly attempts: number
  /** When each attempt was made, in milliseconds. */
  readonly at: readonly number[]
}

/** Sends one request to a server that plays these, one after the other, and then is well. */
async function trial(
  asked: TransportRequest,
  plays: readonly (TransportResponse | "lost")[],
  options: Partial<RetryOptions> = {},
): Promise<Tried> {
  const clock = new VirtualClock()
  const at: number[] = []
  const server: Transport = async () => ok
  const faulty = scriptedTransport(
    server,
    (_, index) => {
      at.push(clock.elapsed())
      const play = plays[index]
      if (play === undefined) return { do: "pass" }
      return play === "lost" ? { do: "lose-answer" } : { do: "answer", response: play }
    },
    clock,
  )
  const transport = retrying(faulty, { clock, random: seededRandom(1), ...options })
  const outcome = transport(asked).then(
    ({ status }) => status,
    (error: PilothouseError) => error.code,
  )
  const status = (await clock.run(outcome)) ?? "nothing"
  return { status, attempts: at.length, at }
}

describe("sends again", () => {
  const apply = request("PATCH", { headers: { "content-type": "application/apply-patch+yaml" } })
  const rows: Record<string, { asked: TransportRequest; plays: readonly (TransportResponse | "lost")[] }> = {
    "a GET whose connection was lost": { asked: request("GET"), plays: ["lost"] },
    "a PUT whose connection was lost": { asked: request("PUT"), plays: ["lost"] },
    "a DELETE whose connection was lost": { asked: request("DELETE"), plays: ["lost"] },
    "a server-side apply whose connection was lost": { asked: apply, plays: ["lost"] },
    "a GET that failed with 500": { asked: request("GET"), plays: [refusal(500)] },
    "a GET that failed with 502": { asked: request("GET"), plays: [refusal(502)] },
    "a GET that failed with 504": { asked: request("GET"), plays: [refusal(504)] },
    "a GET that failed with 429": { asked: request("GET"), plays: [refusal(429)] },
    "a POST that the server deferred with 429": { asked: request("POST"), plays: [refusal(429, "1")] },
    "a PATCH that the server deferred with 503": { asked: request("PATCH"), plays: [refusal(503, "1")] },
  }
  test.each(Object.entries(rows))("%s", async (_, { asked, plays }) => {
    expect(await trial(asked, plays)).toMatchObject({ status: 200, attempts: 2 })
  })
})

describe("leaves alone", () => {
  const rows: Record<string, { asked: TransportRequest; plays: readonly (TransportResponse | "lost")[]; status: number | string }> = {
    "a POST whose connection was lost": { asked: request("POST"), plays: ["lost"], status: "CONNECTION_LOST" },
    "a merge patch whose connection was lost": { asked: request("PATCH"), plays: ["lost"], status: "CONNECTION_LOST" },
    "a POST that failed with 500": { asked: request("POST"), plays: [refusal(500)], status: 500 },
    "a POST that failed with 500 and Retry-After: it may have been carried out": {
      asked: request("POST"),
      plays: [refusal(500, "1")],
      status: 500,
    },
    "an eviction that a disruption budget forbids": { asked: request("POST"), plays: [refusal(429)], status: 429 },
    "a conflict": { asked: request("PUT"), plays: [refusal(409)], status: 409 },
    "a GET of what is not there": { asked: request("GET"), plays: [refusal(404)], status: 404 },
    "a server that asks for more patience than allowed": { asked: request("GET"), plays: [refusal(429, "61")], status: 429 },
  }
  test.each(Object.entries(rows))("%s", async (_, { asked, plays, status }) => {
    expect(await trial(asked, plays)).toMatchObject({ status, attempts: 1 })
  })

  test("a connection error that needs a configuration change", async () => {
    const inner: Transport = () => Promise.reject(new PilothouseError("CONNECTION_LOST", "expired certificate", { retryable: false }))
    const clock = new VirtualClock()
    await expect(retrying(inner, { clock, random: seededRandom(1) })(request("GET"))).rejects.toMatchObject({
      message: "expired certificate",
    })
  })
})

test("never comes back before the server asked, and not all come back together", async () => {
  const { at } = await trial(request("GET"), [refusal(429, "4"), refusal(429, "0")])
  expect(at[1]).toBeGreaterThanOrEqual(4000)
  expect(at[1]).toBeLessThan(5000)
  expect(at[2]! - at[1]!).toBeLessThan(200)
  const seeds = Array.from({ length: 20 }, (_, seed) => ({ random: seededRandom(seed) }))
  const others = await Promise.all(seeds.map((seed) => trial(request("GET"), [refusal(429, "4")], seed)))
  const backAt = others.map((other) => other.at[1]!)
  expect(Math.max(...backAt) - Math.min(...backAt)).toBeGreaterThan(500)
})

test("understands a date in Retry-After", async () => {
  const { at } = await trial(request("GET"), [refusal(503, "Mon, 05 Jan 2026 09:00:10 GMT")])
  expect(at[1]).toBeGreaterThanOrEqual(10_000)
  expect(at[1]).toBeLessThan(12_500)
})

test("waits longer each time, and gives the last answer after five attempts", async () => {
  const { status, attempts, at } = await trial(
    request("GET"),
    Array.from({ length: 9 }, () => refusal(500)),
  )
  expect({ status, attempts }).toEqual({ status: 500, attempts: 5 })
  const waits = at.slice(1).map((time, index) => time - at[index]!)
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(100 * 2 ** index)
    expect(wait).toBeLessThanOrEqual(200 * 2 ** index)
  }
})

test("stops waiting when the caller does", async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const transport = retrying(async () => refusal(503, "30"), { clock, random: seededRandom(1) })
  const failure = transport(request("GET", { signal: stop.signal })).catch((error: unknown) => error)
  await clock.advance("10s")
  stop.abort()
  expect(await failure).toMatchObject({ code: "ABORTED" })
  expect(clock.waiting()).toEqual([])
})

test("says why", async () => {
  const why: string[] = []
  await trial(request("GET"), ["lost", refusal(503)], { onRetry: ({ verb, path }, reason) => why.push(`${verb} ${path}: ${reason}`) })
  expect(why).toEqual(["GET /x: the connection was lost", "GET /x: the server answered 503"])
})

const layer = (inner: Transport) => retrying(inner, { clock: new VirtualClock(), random: seededRandom(1) })
transportContract("retrying", () => {
  const server = echoServer()
  return { ...server, transport: layer(server.transport) }
})
carrierContract("retrying", layer)
