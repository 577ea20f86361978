import { createServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "@pilothouse/api/admissionregistration/v1"
import { configMaps, secrets } from "@pilothouse/api/core/v1"
import { ensureServingCertificate } from "@pilothouse/apiserver"
import { webhook } from "@pilothouse/runtime"
import { virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { describe, expect, test } from "vitest"
import { cluster } from "./cluster.ts"

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { a: "b" } }) as const
const secret = (name: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default" } }) as const

interface Asked {
  readonly uid: string
  readonly socket: Socket
}
type Faulty = (asked: Asked) => { readonly status?: number; readonly body: string | Buffer } | undefined

/** A TLS server of its own, which answers what it likes, or nothing. */
async function faultyServer(answer: Faulty) {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom(), directory: "/pki", name: "webhooks" }
  const { certificate, key } = await ensureServingCertificate(seams)
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { readonly request: { readonly uid: string } }
    const given = answer({ uid: review.request.uid, socket: request.socket })
    if (given === undefined) return
    response.writeHead(given.status ?? 200, { "content-type": "application/json" }).end(given.body)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    caBundle: Buffer.from(certificate).toString("base64"),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((closed) => server.close(() => closed()))
    },
  }
}

async function clusterWith(answer: Faulty, type: "mutating" | "validating" = "validating", timeoutSeconds = 5) {
  const server = await faultyServer(answer)
  const c = await cluster({ time: "real", controllers: [], nodes: 0 })
  const rules = [{ operations: ["CREATE" as const], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }]
  const { url, caBundle } = server
  const hook = {
    name: "hook.example.com",
    clientConfig: { url, caBundle },
    rules,
    sideEffects: "None" as const,
    admissionReviewVersions: ["v1"],
    timeoutSeconds,
  }
  const apiVersion = "admissionregistration.k8s.io/v1"
  const about = { metadata: { name: "h" }, webhooks: [hook] }
  if (type === "mutating")
    await c.client.create(mutatingWebhookConfigurations, { apiVersion, kind: "MutatingWebhookConfiguration", ...about })
  else await c.client.create(validatingWebhookConfigurations, { apiVersion, kind: "ValidatingWebhookConfiguration", ...about })
  const close = async () => {
    await c.close()
    await server[Symbol.asyncDispose]()
  }
  return { c, [Symbol.asyncDispose]: close }
}

const reviewed = (uid: string, response: object) =>
  JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: true, ...response } })
const patched = (uid: string, patch: string) => reviewed(uid, { patchType: "JSONPatch", patch: Buffer.from(patch).toString("base64") })

interface Fault {
  readonly what: string
  readonly answer: Faulty
  /** In what the client is answered with. */
  readonly says: string
  readonly type: "mutating" | "validating"
}

function fault(what: string, answer: Faulty, says: string, type: Fault["type"] = "validating"): Fault {
  return { what, answer, says, type }
}

const faults: readonly Fault[] = [
  fault("dies in the middle of a call", ({ socket }) => void socket.destroy(), "EOF"),
  fault(
    "dies in the middle of its answer",
    ({ socket }) => void socket.end("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"),
    "failed calling webhook",
  ),
  fault("answers what is no HTTP", ({ socket }) => void socket.end("hello\r\n\r\n"), "failed calling webhook"),
  fault("answers garbage", () => ({ body: Buffer.from([0, 255, 1, 254]) }), "couldn't get version/kind; json parse error"),
  fault("answers 10 MB", ({ uid }) => ({ body: reviewed(uid, { warnings: ["x".repeat(10_000_000)] }) }), "failed calling webhook"),
  fault("answers deep nesting", () => ({ body: `${"[".repeat(200_000)}${"]".repeat(200_000)}` }), "failed calling webhook"),
  fault(
    "answers with a patch that does not apply",
    ({ uid }) => ({ body: patched(uid, '[{"op":"remove","path":"/data/z"}]') }),
    "nonexistent key: z",
    "mutating",
  ),
  fault("answers with a patch that is none", ({ uid }) => ({ body: patched(uid, "{") }), "received undecodable patch", "mutating"),
  fault(
    "answers with a patch of 20,000 operations",
    ({ uid }) => ({ body: patched(uid, `[${Array.from({ length: 20_000 }, () => "{}").join(",")}]`) }),
    "more than 10000 operations",
    "mutating",
  ),
  fault(
    "answers with a patch of 100,000 operations",
    ({ uid }) => ({ body: patched(uid, `[${Array.from({ length: 100_000 }, () => "{}").join(",")}]`) }),
    "limit of fields and list items is 75000",
    "mutating",
  ),
]

describe("a webhook that", () => {
  test.each(faults)("$what costs its own request, with words that say so", async ({ answer, says, type }) => {
    await using made = await clusterWith(answer, type)
    const { client } = made.c
    const [refused] = await Promise.all([
      client.create(configMaps, map("a")).catch((error: Error) => error.message),
      client.create(secrets, secret("a")),
    ])
    expect(refused).toContain(says)
    expect((await made.c.list(configMaps, { namespace: "default" })).map(({ metadata }) => metadata.name)).not.toContain("a")
  })

  test("answers 10 MB again and again does not fill the memory", async () => {
    await using made = await clusterWith(({ uid }) => ({ body: reviewed(uid, { warnings: ["x".repeat(10_000_000)] }) }))
    const { client } = made.c
    const refuse = async () => void (await expect(client.create(configMaps, map("a"))).rejects.toThrow("failed calling webhook"))
    await refuse()
    const before = process.memoryUsage().rss
    for (let n = 0; n < 15; n++) await refuse()
    // Fifteen such answers are 150 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(120_000_000)
  })

  test("hangs costs its own request, and only until its time is over", async () => {
    await using c = await cluster({
      controllers: [],
      webhooks: [webhook("hangs.web.example.com", { of: configMaps, timeoutSeconds: 3, validate: () => new Promise(() => {}) })],
    })
    const pending = c.client.create(configMaps, map("a")).catch((error: Error) => error.message)
    await c.client.create(secrets, secret("a"))
    await c.advance("2s")
    await c.client.create(secrets, secret("b"))
    await c.advance("1s")
    expect(await pending).toContain('failed calling webhook "hangs.web.example.com"')
  })

  test("another one undoes ends after two rounds", async () => {
    const calls: string[] = []
    const of = { of: configMaps, reinvocationPolicy: "IfNeeded" } as const
    const adds = webhook("adds.web.example.com", {
      ...of,
      mutate(object) {
        calls.push("adds")
        return { ...object, data: { ...object.data, added: "yes" } }
      },
    })
    const removes = webhook("removes.web.example.com", {
      ...of,
      mutate(object) {
        calls.push("removes")
        return { ...object, data: { a: "b" } }
      },
    })
    await using c = await cluster({ controllers: [], webhooks: [adds, removes] })
    expect((await c.client.create(configMaps, map("a"))).data).toEqual({ a: "b" })
    expect(calls.length).toBeLessThanOrEqual(4)
  })
})
