import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { recordingLog, seededRandom, type TransportRequest, VirtualClock, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { statusIn, testServer } from "../../testing/server.ts"
import type { ImagePolicyOptions } from "./image-policy-webhook.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

type Answer = object | number

/** A server whose webhook has these answers in turn, the last one again and again; a number is the code of a failure. */
function withWebhook(answers: readonly Answer[], more: Partial<ImagePolicyOptions> = {}) {
  const clock = new VirtualClock()
  const received: unknown[] = []
  const transport = async ({ body }: TransportRequest) => {
    const answer = answers[Math.min(received.length, answers.length - 1)]!
    received.push(body?.type === "value" ? body.value : undefined)
    const isCode = typeof answer === "number"
    const value = isCode ? { kind: "Status", apiVersion: "v1", message: `code ${answer}` } : answer
    return { status: isCode ? answer : 200, headers: {}, body: valueBody(value) }
  }
  const imagePolicy: ImagePolicyOptions = {
    clock,
    random: seededRandom(1),
    log: recordingLog().log,
    server: { transport, path: "" },
    timeout: 30_000,
    allowTtl: 300_000,
    denyTtl: 30_000,
    retryBackoff: 500,
    defaultAllow: false,
    ...more,
  }
  const api = testServer("in process", { clock, admission: { enable: ["ImagePolicyWebhook"], imagePolicy } })
  const run = async (name: string, { annotations = {}, spec = {} }: { annotations?: object; spec?: object } = {}) => {
    const body = { metadata: { name, annotations }, spec: { containers: [{ name: "c", image: "a/b:1" }], ...spec } }
    const answer = api.post("/api/v1/namespaces/default/pods", body)
    await clock.advance(10_000)
    return answer
  }
  return { clock, received, run, api }
}

const reviewed = (status: object) => ({ kind: "ImageReview", apiVersion: "imagepolicy.k8s.io/v1alpha1", status })
const allowed = reviewed({ allowed: true })

test("a webhook gets the images of a pod, its namespace and the annotations for it", async () => {
  const { run, received } = withWebhook([allowed])
  const annotations = { "alpha.image-policy.k8s.io/ticket": "7", other: "x" }
  const initContainers = [{ name: "i", image: "a/init:1" }]
  expect((await run("p", { annotations, spec: { initContainers } })).status).toBe(201)
  expect(received).toEqual([
    {
      kind: "ImageReview",
      apiVersion: "imagepolicy.k8s.io/v1alpha1",
      metadata: {},
      spec: {
        containers: [{ image: "a/b:1" }, { image: "a/init:1" }],
        annotations: { "alpha.image-policy.k8s.io/ticket": "7" },
        namespace: "default",
      },
      status: { allowed: false },
    },
  ])
})

test.each<readonly [string, Answer, string]>([
  ["a refusal", reviewed({ allowed: false }), "one or more images rejected by webhook backend"],
  [
    "a refusal with a reason",
    reviewed({ allowed: false, reason: "no signature" }),
    "image policy webhook backend denied one or more images: no signature",
  ],
  ["a text in place of a boolean", reviewed({ allowed: "true" }), "expected a boolean in status.allowed of an ImageReview, found string"],
  [
    "another kind",
    { kind: "Pod", apiVersion: "v1" },
    'expected an ImageReview of imagepolicy.k8s.io/v1alpha1 from the webhook, found Pod of "v1"',
  ],
  ["a failure", 403, "code 403"],
])("%s admits no pod", async (_what, answer, why) => {
  const { run } = withWebhook([answer])
  expect(statusIn(await run("p"))).toMatchObject({ code: 403, message: `pods "p" is forbidden: ${why}` })
})

test("a failure that may pass is tried again, with the delay of the configuration", async () => {
  const { run, received } = withWebhook([500, 500, allowed])
  expect((await run("p")).status).toBe(201)
  expect(received).toHaveLength(3)
})

test("answers are kept for as long as their kind says", async () => {
  const { run, received, clock } = withWebhook([reviewed({ allowed: false }), allowed])
  expect([(await run("a")).status, (await run("b")).status, received.length]).toEqual([403, 403, 1])
  await clock.advance(30_000)
  expect([(await run("c")).status, (await run("d")).status, received.length]).toEqual([201, 201, 2])
})

test("a webhook that fails admits pods where the configuration says so", async () => {
  const { run } = withWebhook([403], { defaultAllow: true })
  expect((await run("p")).status).toBe(201)
})

test("without a webhook no pod is admitted", async () => {
  const api = testServer("in process", { admission: { enable: ["ImagePolicyWebhook"] } })
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } }
  expect(statusIn(await api.post("/api/v1/namespaces/default/pods", pod))).toMatchObject({ code: 403 })
})

test("answers about images of a megabyte are kept without the images", async () => {
  const { run, received } = withWebhook([reviewed({ allowed: false })], { denyTtl: 1_000_000_000 })
  const ask = async (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      await run(`p-${at}`, { spec: { containers: [{ name: "c", image: `${at}${"x".repeat(1_000_000)}` }] } })
      received.length = 0
    }
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = await ask(0, 5)
  const after = await ask(5, 45)
  expect((after - before) / 2 ** 20).toBeLessThan(20)
})
