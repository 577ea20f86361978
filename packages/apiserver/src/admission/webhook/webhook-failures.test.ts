import { describe, expect, test } from "vitest"
import { objectIn, statusIn } from "../../testing/server.ts"
import { type Answer, configMaps, patchOf, serverWith, webhook } from "./testing/webhooks.ts"

describe("webhooks that fail", () => {
  const failing = 'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: '
  test("refuse the request by default, in the words of Go's client", async () => {
    const { api } = await serverWith({}, { validating: [webhook("a")] })
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" } }))).toMatchObject({
      code: 500,
      reason: "InternalError",
      message: `${failing}Post "https://a/hook?timeout=10s": dial tcp a:443: connect: connection refused`,
    })
  })

  test("are passed over with failurePolicy Ignore", async () => {
    const { api } = await serverWith({}, { mutating: [webhook("a", { failurePolicy: "Ignore" })] })
    objectIn(await api.post(configMaps, { metadata: { name: "c" } }), 201)
    expect(api.metrics.text()).toContain('apiserver_admission_webhook_fail_open_count{name="a.example.com",type="admit"} 1')
  })

  test("and hang cost their request only, until their timeout", async () => {
    const { api } = await serverWith({ a: () => new Promise(() => {}) }, { validating: [webhook("a", { timeoutSeconds: 5 })] })
    const pending = api.post(configMaps, { metadata: { name: "c" } })
    objectIn(await api.post("/api/v1/namespaces/default/secrets", { metadata: { name: "s" } }), 201)
    await api.clock.advance("5s")
    expect(statusIn(await pending).message).toBe(`${failing}Post "https://a/hook?timeout=5s": context deadline exceeded`)
  })

  test.each<[string, Answer, string]>([
    ["no response", () => ({ uid: undefined, allowed: true }), "received invalid webhook response: expected response.uid="],
    [
      "a code that is none",
      () => ({ allowed: false, status: { code: "teapot" } }),
      "received invalid webhook response: expected a Status in response.status",
    ],
    [
      "a patch without its type",
      () => ({ allowed: true, patch: "W10=" }),
      "received invalid webhook response: webhook returned response.patch but not response.patchType",
    ],
    [
      "a type without a patch",
      () => ({ allowed: true, patchType: "JSONPatch" }),
      "received invalid webhook response: webhook returned response.patchType but not response.patch",
    ],
    [
      "a patch of 80,000 values",
      () => patchOf({ op: "add", path: "/metadata/finalizers", value: Array.from({ length: 80_000 }, () => "a") }),
      "received undecodable patch in webhook response: limit of fields and list items is 75000",
    ],
    [
      "a patch that makes an object of 120,000 values",
      () =>
        patchOf(
          { op: "add", path: "/metadata/finalizers", value: Array.from({ length: 60_000 }, () => "a") },
          { op: "copy", from: "/metadata/finalizers", path: "/more" },
        ),
      "limit of fields and list items is 100000",
    ],
    [
      "a patch that is no JSON",
      () => ({ allowed: true, patchType: "JSONPatch", patch: "Zm9v" }),
      "received undecodable patch in webhook response: invalid character 'o' in literal false (expecting 'a')",
    ],
  ])("answer badly: %s", async (_, answer, says) => {
    const { api } = await serverWith({ a: answer }, { mutating: [webhook("a")] })
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" } })).message).toContain(says)
  })
})
