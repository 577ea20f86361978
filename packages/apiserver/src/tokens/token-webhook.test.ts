import { recordingLog, seededRandom, type TransportRequest, VirtualClock, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { objectIn, testServer } from "../testing/server.ts"
import { TokenWebhook, type TokenWebhookOptions } from "./token-webhook.ts"

type Answer = object | number

/** A webhook with these answers in turn, the last one again and again; a number is the code of a refusal. */
function webhook(answers: readonly Answer[], more: Partial<TokenWebhookOptions> = {}) {
  const clock = new VirtualClock()
  const received: unknown[] = []
  const transport = async ({ body }: TransportRequest) => {
    const answer = answers[Math.min(received.length, answers.length - 1)]!
    received.push(body?.type === "value" ? body.value : undefined)
    const isCode = typeof answer === "number"
    const value = isCode ? { kind: "Status", apiVersion: "v1", message: `code ${answer}` } : answer
    return { status: isCode ? answer : 200, headers: {}, body: valueBody(value) }
  }
  const options: TokenWebhookOptions = {
    clock,
    random: seededRandom(1),
    log: recordingLog().log,
    server: { transport, path: "/review" },
    timeout: 30_000,
    version: "v1",
    cacheTtl: 120_000,
    ownAudiences: ["api", "x"],
    ...more,
  }
  const made = new TokenWebhook(options)
  const review = async (token = "secret", audiences: readonly string[] = ["api"]) => {
    const answer = Promise.resolve(made.review(token, audiences))
    await clock.advance(10_000)
    return answer
  }
  return { clock, received, review, made, options }
}

const reviewed = (status: object) => ({ kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", status })
const user = { username: "jane", uid: "7", groups: ["dev"], extra: { scope: ["a", "b"] } }
const jane = { name: "jane", uid: "7", groups: ["dev"], extra: { scope: ["a", "b"] } }
const good = reviewed({ authenticated: true, user })

test.each<readonly [string, object, unknown]>([
  ["a user", { authenticated: true, user }, { identity: jane, audiences: ["api"] }],
  ["a user by name alone", { authenticated: true, user: { username: "x" } }, { identity: { name: "x", groups: [] }, audiences: ["api"] }],
  ["audiences of which one was asked for", { authenticated: true, user, audiences: ["b", "api"] }, { identity: jane, audiences: ["api"] }],
  ["other audiences", { authenticated: true, user, audiences: ["b"] }, undefined],
  ["not authenticated", { authenticated: false }, undefined],
  ["an error", { authenticated: false, error: "expired" }, { refused: "expired" }],
  [
    "nulls",
    { authenticated: true, user: { username: "x", groups: null, extra: null } },
    { identity: { name: "x", groups: [] }, audiences: ["api"] },
  ],
  [
    "a text in place of a boolean",
    { authenticated: "true", user },
    { refused: "expected a boolean in status.authenticated of a TokenReview, found string" },
  ],
  [
    "one group in place of a list",
    { authenticated: true, user: { username: "x", groups: "system:masters" } },
    { refused: "expected a list of strings in status.user.groups of a TokenReview, found something else" },
  ],
])("an answer of %s", async (_what, status, expected) => {
  expect(await webhook([reviewed(status)]).review()).toEqual(expected)
})

test("a webhook that says nothing of audiences vouches for those of this server alone", async () => {
  const { review } = webhook([good])
  expect(await review("a", ["other", "x"])).toEqual({ identity: jane, audiences: ["x"] })
  expect(await review("a", ["other"])).toBeUndefined()
})

test("another kind is no answer", async () => {
  const { review } = webhook([{ kind: "SubjectAccessReview", apiVersion: "authorization.k8s.io/v1", status: { authenticated: true } }])
  expect(await review()).toEqual({
    refused: 'expected a TokenReview of authentication.k8s.io from the webhook, found SubjectAccessReview of "authorization.k8s.io/v1"',
  })
})

test("a review has the token and the audiences, in the version of the flags", async () => {
  const { review, received } = webhook([good], { version: "v1beta1" })
  await review("secret", [])
  await review("secret", ["x"])
  expect(received).toMatchObject([
    { apiVersion: "authentication.k8s.io/v1beta1", kind: "TokenReview", spec: { token: "secret" } },
    { spec: { token: "secret", audiences: ["x"] } },
  ])
})

test("answers are kept as long as the flags say, good ones and refusals without an error, by token and audiences", async () => {
  const { review, received, clock } = webhook([good])
  await review("a")
  await review("a")
  expect(received).toHaveLength(1)
  await review("b")
  await review("a", ["api", "other"])
  expect(received).toHaveLength(3)
  await clock.advance(120_000)
  await review("a")
  expect(received).toHaveLength(4)
  const refusing = webhook([reviewed({ authenticated: false }), good])
  await refusing.review()
  expect([await refusing.review(), refusing.received.length]).toEqual([undefined, 1])
})

test("errors are not kept, and with a time of 0 nothing is", async () => {
  const failing = webhook([reviewed({ error: "no database" }), good])
  expect(await failing.review()).toEqual({ refused: "no database" })
  expect(await failing.review()).toMatchObject({ identity: jane })
  const uncached = webhook([good], { cacheTtl: 0 })
  await uncached.review()
  await uncached.review()
  expect(uncached.received).toHaveLength(2)
})

test("tries again where that can help", async () => {
  const { review, received } = webhook([500, 429, good])
  expect(await review()).toMatchObject({ identity: jane })
  expect(received).toHaveLength(3)
  const refused = webhook([403, good])
  expect([await refused.review(), refused.received.length]).toEqual([{ refused: "code 403" }, 1])
})

test("many requests with one token are one call", async () => {
  const { made, received } = webhook([good])
  const answers = await Promise.all(Array.from({ length: 50 }, () => made.review("secret", [])))
  expect(answers.every((answer) => answer !== undefined && "identity" in answer)).toBe(true)
  expect(received).toHaveLength(1)
})

test("a webhook that hangs fails after 30 s", async () => {
  const { clock, made } = webhook([good], { server: { transport: () => new Promise(() => {}), path: "" }, timeout: 60_000 })
  const answer = made.review("secret", [])
  await clock.advance(30_000)
  expect(await answer).toEqual({ refused: "context deadline exceeded" })
})

test("never asks about more tokens at a time than its limit, and then about the rest", async () => {
  const { options } = webhook([good])
  const pending: (() => void)[] = []
  const transport = () =>
    new Promise<never>((_, reject) => {
      pending.push(() => reject(new Error("no")))
    })
  const made = new TokenWebhook({ ...options, server: { transport, path: "" } })
  const answers = Array.from({ length: 250 }, (_, index) => made.review(`token ${index}`, []))
  await Promise.resolve()
  await new Promise(setImmediate)
  expect(pending).toHaveLength(200)
  while (pending.length > 0) {
    for (const fail of pending.splice(0)) fail()
    await new Promise(setImmediate)
  }
  expect(await Promise.all(answers)).toHaveLength(250)
})

test("a server asks about tokens that it does not know, and a TokenReview has all reasons", async () => {
  const { options, received } = webhook([good, reviewed({ error: "expired" })])
  const known = { name: "listed", groups: [] }
  const api = testServer("in process", { tokenWebhook: options, tokens: new Map([["listed", known]]) })
  const review = async (token: string): Promise<unknown> => {
    const made = await api.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } })
    return (objectIn(made, 201) as unknown as { status: unknown }).status
  }
  expect(await review("listed")).toMatchObject({ user: { username: "listed" } })
  expect(received).toEqual([])
  expect(await review("a")).toMatchObject({ authenticated: true, user: { ...user, groups: ["dev", "system:authenticated"] } })
  expect(await review("b")).toMatchObject({ error: "[invalid bearer token, expired]" })
  expect(await api.server.tokenReview("a")).toMatchObject({ name: "jane" })
})

test("while the webhook hangs, tokens wait for 30 seconds, and no more than 500 beside those that it is asked about", async () => {
  const transport = () => new Promise<never>(() => {})
  const { clock, made } = webhook([good], { server: { transport, path: "/review" } })
  const answers = new Map<string, number>()
  for (let token = 0; token < 2000; token++)
    void Promise.resolve(made.review(`made-up-${token}`, ["api"])).then((answer) => {
      const reason = answer !== undefined && "refused" in answer ? answer.refused : "none"
      answers.set(reason, (answers.get(reason) ?? 0) + 1)
    })
  await clock.settle()
  expect([...answers]).toEqual([["more than 500 tokens wait for the authentication webhook", 1300]])
  await clock.advance(30_000)
  expect(answers.get("context deadline exceeded")).toBe(700)
})
