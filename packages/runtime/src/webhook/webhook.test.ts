import { X509Certificate } from "node:crypto"
import type { Descriptor } from "@pilothouse/api"
import { configMaps } from "@pilothouse/api/core/v1"
import { parseJson, type TransportResponse, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { webhookHandler } from "./answer-review.ts"
import { selfSigned } from "./self-signed.ts"
import { type Webhook, webhook } from "./webhook.ts"

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "b" } }
const about = { uid: "u", operation: "CREATE", userInfo: { username: "alice" }, dryRun: false }

async function asked(one: Webhook, request: object = { ...about, object, oldObject: null }) {
  const body = valueBody({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request })
  const response = await webhookHandler([one])({ verb: "POST", path: `/${one.name}`, query: {}, headers: {}, body })
  return { status: response.status, text: textOf(response) }
}

function textOf({ body }: TransportResponse): string {
  return body.type === "bytes" ? new TextDecoder().decode(body.bytes) : ""
}

const responseOf = (text: string) => (parseJson(text) as { readonly response: Record<string, unknown> }).response

describe("a mutating webhook", () => {
  test("answers with the patch between the object and what it returns", async () => {
    const labels = webhook("labels.web.example.com", {
      of: configMaps,
      mutate(map) {
        map.data = { ...map.data, added: "1" }
        return map
      },
    })
    const { patch, ...response } = responseOf((await asked(labels)).text)
    expect(response).toEqual({ uid: "u", allowed: true, patchType: "JSONPatch" })
    expect(parseJson(Buffer.from(String(patch), "base64").toString())).toEqual([{ op: "add", path: "/data/added", value: "1" }])
  })

  test("answers without a patch where nothing changes, and for a delete", async () => {
    const same = webhook("same.web.example.com", { of: configMaps, mutate: (map) => map })
    expect(responseOf((await asked(same)).text)).toEqual({ uid: "u", allowed: true })
    expect(responseOf((await asked(same, { ...about, operation: "DELETE", object: null, oldObject: object })).text)).toEqual({
      uid: "u",
      allowed: true,
    })
  })
})

describe("a validating webhook", () => {
  const deciding = (validate: NonNullable<Webhook["spec"]["validate"]>) => webhook("rules.web.example.com", { of: configMaps, validate })
  test.each([
    ["nothing", () => undefined, { uid: "u", allowed: true }],
    ["a text", () => "no", { uid: "u", allowed: false, status: { message: "no", reason: "Forbidden", code: 403 } }],
    ["a code", () => ({ message: "no", code: 422 }), { uid: "u", allowed: false, status: { message: "no", code: 422 } }],
  ])("that returns %s", async (_, validate, response) => {
    expect(responseOf((await asked(deciding(validate))).text)).toEqual(response)
  })

  test("warns", async () => {
    const warning = deciding((request) => request.warn(`think, ${request.userInfo.username}`))
    expect(responseOf((await asked(warning)).text)).toEqual({ uid: "u", allowed: true, warnings: ["think, alice"] })
  })

  test("that throws answers with 500", async () => {
    const broken = deciding(() => {
      throw new Error("broken")
    })
    expect(await asked(broken)).toEqual({ status: 500, text: "broken" })
  })
})

describe("a conversion webhook", () => {
  const boxes = { group: "shop.example.com", version: "v1", kind: "Box", plural: "boxes" } as Descriptor
  const sizes = webhook("sizes.shop.example.com", {
    of: boxes,
    convert(box, { from, to }) {
      const { size } = box["spec"] as { readonly size: unknown }
      if (size === "broken") throw new Error(`no size in ${to}`)
      box["spec"] = { size: from === "v1" ? String(size) : Number(size) }
      box.metadata.name = "other"
      box.metadata.labels = { converted: "yes" }
      return box
    },
  })
  const box = (version: string, size: unknown) => ({
    apiVersion: `shop.example.com/${version}`,
    kind: "Box",
    metadata: { name: "b", uid: "1", annotations: { a: "b" } },
    spec: { size },
  })
  const convert = async (...objects: readonly object[]) => {
    const request = { uid: "u", desiredAPIVersion: "shop.example.com/v2", objects }
    const body = valueBody({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request })
    const response = await webhookHandler([sizes])({ verb: "POST", path: `/${sizes.name}`, query: {}, headers: {}, body })
    return parseJson(textOf(response))
  }

  test("answers with the objects in the version, and leaves all metadata but labels and annotations", async () => {
    expect(await convert(box("v1", 3), box("v2", "4"))).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: "u",
        result: { status: "Success" },
        convertedObjects: [
          { ...box("v2", "3"), metadata: { name: "b", uid: "1", annotations: { a: "b" }, labels: { converted: "yes" } } },
          box("v2", "4"),
        ],
      },
    })
  })

  test("that throws answers with its words", async () => {
    expect(await convert(box("v1", "broken"))).toMatchObject({
      response: { uid: "u", result: { status: "Failure", message: "no size in v2" }, convertedObjects: [] },
    })
  })

  test("refuses another body", async () => {
    const body = valueBody({ request: { uid: "u" } })
    expect((await webhookHandler([sizes])({ verb: "POST", path: `/${sizes.name}`, query: {}, headers: {}, body })).status).toBe(400)
  })
})

test("another path and another body are refused", async () => {
  const one = webhook("rules.web.example.com", { of: configMaps, validate: () => undefined })
  const handler = webhookHandler([one])
  expect((await handler({ verb: "POST", path: "/other", query: {}, headers: {} })).status).toBe(404)
  expect((await handler({ verb: "POST", path: "/rules.web.example.com", query: {}, headers: {}, body: valueBody({}) })).status).toBe(400)
})

test.each([
  [
    "a name of two parts",
    () => webhook("example.com", { of: configMaps, validate: () => undefined }),
    "expected a domain name of three parts",
  ],
  ["neither function", () => webhook("a.example.com", { of: configMaps }), "expected one of mutate, validate and convert"],
])("%s is refused", (_, make, says) => {
  expect(make).toThrow(says)
})

test("a certificate is of its names, for its time, and signed by itself", () => {
  const now = Date.parse("2026-01-05T09:00:00Z")
  const { certificate, key } = selfSigned({ names: ["hook.shop.svc", "127.0.0.1", "::1"], now, lifetime: 3_600_000 })
  const parsed = new X509Certificate(certificate)
  expect(parsed.subjectAltName).toBe("DNS:hook.shop.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1")
  expect([parsed.validFrom, parsed.validTo]).toEqual(["Jan  5 08:55:00 2026 GMT", "Jan  5 10:00:00 2026 GMT"])
  expect([parsed.verify(parsed.publicKey), parsed.ca, key.startsWith("-----BEGIN PRIVATE KEY-----")]).toEqual([true, true, true])
})
