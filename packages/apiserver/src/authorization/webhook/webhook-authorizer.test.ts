import { parseFieldSelector, parseLabelSelector } from "@pilothouse/api"
import { ReviewConditions } from "@pilothouse/cel/kubernetes"
import { PilothouseError, recordingLog, seededRandom, type TransportRequest, VirtualClock, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Attributes } from "../authorizer.ts"
import { type WebhookAuthorizerOptions, webhookAuthorizer } from "./webhook-authorizer.ts"

type Answer = { readonly status?: object; readonly code?: number; readonly headers?: Record<string, string> } | Error

const bob = { name: "bob", uid: "1", groups: ["dev"], extra: { scope: ["a"] } }
const getPods: Attributes = { verb: "get", group: "", version: "v1", resource: "pods", subresource: "", namespace: "ns", name: "p" }

/** A webhook that gives these answers in turn, and the last for ever. */
function webhook(answers: readonly Answer[], more: Partial<WebhookAuthorizerOptions> = {}) {
  const clock = new VirtualClock()
  const received: unknown[] = []
  const transport = async ({ body }: TransportRequest) => {
    const answer = answers[Math.min(received.length, answers.length - 1)]!
    received.push(body?.type === "value" ? body.value : undefined)
    if (answer instanceof Error) throw answer
    const { status, code = 201, headers = {} } = answer
    return {
      status: code,
      headers,
      body: valueBody(code < 300 ? { status } : { kind: "Status", apiVersion: "v1", code, message: `code ${code}` }),
    }
  }
  const authorizer = webhookAuthorizer({
    clock,
    random: seededRandom(1),
    log: recordingLog().log,
    server: { transport, path: "/authorize" },
    name: "w",
    version: "v1",
    timeout: 3000,
    authorizedTtl: 300_000,
    unauthorizedTtl: 30_000,
    failurePolicy: "NoOpinion",
    ...more,
  })
  const ask = async (what: Attributes = getPods, who = bob) => {
    const decision = Promise.resolve(authorizer.authorize(who, what))
    await clock.advance(10_000)
    return decision
  }
  return { clock, received, authorizer, ask }
}

test.each([
  ["allowed", { allowed: true, reason: "yes" }, { allowed: true, reason: "yes" }],
  ["denied", { allowed: false, denied: true, reason: "no" }, { allowed: false, denied: true, reason: "no" }],
  ["no opinion", { allowed: false }, { allowed: false }],
  ["nothing", undefined, { allowed: false }],
  [
    "a text in place of a boolean",
    { allowed: "false" },
    { allowed: false, error: "expected a boolean in status.allowed of a SubjectAccessReview, found string" },
  ],
  [
    "both",
    { allowed: true, denied: true },
    { allowed: false, denied: true, error: "webhook subject access review returned both allow and deny response" },
  ],
])("an answer of %s", async (_what, status, expected) => {
  const { ask } = webhook([{ ...(status && { status }) }])
  expect(await ask()).toEqual(expected)
})

test("a review says who does what, with the selectors of a list", async () => {
  const { ask, received } = webhook([{ status: { allowed: true } }])
  const fields = parseFieldSelector("spec.nodeName=n,status.phase!=Failed").requirements
  const labels = parseLabelSelector("a=b,c notin (d,e),f,!g,h>3").requirements
  await ask({ ...getPods, verb: "list", name: "", selectors: { fields, labels } } as Attributes)
  await ask({ verb: "get", path: "/metrics" }, { ...bob, uid: "", extra: {} } as never)
  const fieldSelector = {
    requirements: [
      { key: "spec.nodeName", operator: "In", values: ["n"] },
      { key: "status.phase", operator: "NotIn", values: ["Failed"] },
    ],
  }
  const labelSelector = {
    requirements: [
      { key: "a", operator: "In", values: ["b"] },
      { key: "c", operator: "NotIn", values: ["d", "e"] },
      { key: "f", operator: "Exists" },
      { key: "g", operator: "DoesNotExist" },
    ],
  }
  const review = { kind: "SubjectAccessReview", apiVersion: "authorization.k8s.io/v1", metadata: {} }
  expect(received).toEqual([
    {
      ...review,
      spec: {
        user: "bob",
        uid: "1",
        groups: ["dev"],
        extra: { scope: ["a"] },
        resourceAttributes: { namespace: "ns", verb: "list", version: "v1", resource: "pods", fieldSelector, labelSelector },
      },
    },
    { ...review, spec: { user: "bob", groups: ["dev"], nonResourceAttributes: { path: "/metrics", verb: "get" } } },
  ])
})

test("in v1beta1 groups are called group", async () => {
  const { ask, received } = webhook([{ status: { allowed: true } }], { version: "v1beta1" })
  await ask()
  expect(received).toEqual([
    expect.objectContaining({ apiVersion: "authorization.k8s.io/v1beta1", spec: expect.objectContaining({ group: ["dev"] }) }),
  ])
})

test("answers are kept, refusals for a shorter time, and not those to long requests", async () => {
  const { ask, received, clock } = webhook([{ status: { allowed: true } }, { status: { allowed: false } }])
  const other = { ...getPods, name: "other" }
  await ask()
  await ask(other)
  await ask()
  await ask(other)
  expect(received).toHaveLength(2)
  await clock.advance(31_000)
  await ask()
  await ask(other)
  expect(received).toHaveLength(3)
  await clock.advance(300_000)
  await ask()
  expect(received).toHaveLength(4)
  const long = { ...getPods, name: "x".repeat(10_000) }
  await ask(long)
  await ask(long)
  expect(received).toHaveLength(6)
})

test.each([
  ["an internal error", { code: 500 }, 5, "code 500"],
  ["too many requests", { code: 429 }, 5, "code 429"],
  ["a time to try again", { code: 503, headers: { "retry-after": "1" } }, 5, "code 503"],
  ["unavailable", { code: 503 }, 1, "code 503"],
  ["not found", { code: 404 }, 1, "code 404"],
  [
    "a connection that was reset",
    new PilothouseError("CONNECTION_LOST", "read: connection reset by peer"),
    5,
    "read: connection reset by peer",
  ],
  [
    "a connection that is refused",
    new PilothouseError("CONNECTION_LOST", "connect: connection refused", { retryable: false }),
    1,
    "connect: connection refused",
  ],
])("%s is tried as often as it can help", async (_what, answer, tries, error) => {
  const { ask, received } = webhook([answer])
  expect(await ask()).toEqual({ allowed: false, error })
  expect(received).toHaveLength(tries)
})

test("a webhook that comes back is asked again", async () => {
  const { ask, received } = webhook([{ code: 500 }, { code: 500 }, { status: { allowed: true } }])
  expect(await ask()).toEqual({ allowed: true })
  expect(received).toHaveLength(3)
})

test("with failurePolicy Deny a webhook that fails refuses", async () => {
  const { ask } = webhook([{ code: 404 }], { failurePolicy: "Deny" })
  expect(await ask()).toEqual({ allowed: false, denied: true, error: "code 404" })
})

test("a webhook that does not answer in time has failed", async () => {
  const { authorizer, clock } = webhook([], { server: { transport: () => new Promise(() => {}), path: "/" } })
  const decision = Promise.resolve(authorizer.authorize(bob, getPods))
  await clock.advance(3000)
  expect(await decision).toEqual({ allowed: false, error: "context deadline exceeded" })
})

test("the rights of a user cannot be listed", () => {
  expect(webhook([]).authorizer.rules(bob, "ns")).toMatchObject({
    incomplete: true,
    evaluationError: "webhook authorizer does not support user rule resolution",
  })
})

const conditions = (...expressions: readonly string[]) => new ReviewConditions(expressions)

test.each([
  ["all are true", ["request.user == 'bob'", "request.resourceAttributes.namespace == 'ns'"], { allowed: true }, 1],
  ["one is false", ["request.user == 'eve'", "true"], { allowed: false }, 0],
  ["one fails and another is false", ["request.nonResourceAttributes.path == '/'", "false"], { allowed: false }, 0],
  [
    "one fails",
    ["request.nonResourceAttributes.path == '/'"],
    {
      allowed: false,
      error:
        "cel evaluation error: expression 'request.nonResourceAttributes.path == '/'' resulted in error: no such key: nonResourceAttributes",
    },
    0,
  ],
  ["a user is of a group", ["'dev' in request.groups && !has(request.nonResourceAttributes)"], { allowed: true }, 1],
  ["extra is asked for", ["request.extra['scope'].exists(s, s == 'a')"], { allowed: true }, 1],
])("match conditions: %s", async (_title, expressions, expected, calls) => {
  const { ask, received } = webhook([{ status: { allowed: true } }], { conditions: conditions(...expressions) })
  expect(await ask()).toEqual(expected)
  expect(received).toHaveLength(calls)
})

test("match conditions that do not compile say why", () => {
  expect(conditions("request.user", "1 +", "request.unknown == ''", "true").errors).toEqual([
    "must evaluate to bool but got string",
    expect.stringContaining("compilation failed: ERROR: <input>:1:4: Syntax error"),
    expect.stringContaining("compilation failed: ERROR: <input>:1:8: undefined field 'unknown'"),
    undefined,
  ])
})
