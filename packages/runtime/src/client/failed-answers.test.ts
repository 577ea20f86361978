import { StatusError } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import { noBody, type TransportResponse } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { pod, scripted, text } from "./testing/scripted.ts"

describe("what is wrong with an answer is said", () => {
  const what = "GET /api/v1/namespaces/default/pods/web"
  const rows: Record<string, { answer: TransportResponse; code: string; says: string }> = {
    "a login page": {
      answer: text(200, "<html>please log in"),
      code: "PROTOCOL",
      says: `expected a Kubernetes object in the answer to ${what}, found "<html>please log in"; check that the address is an API server's, and not that of a proxy or a login page`,
    },
    "broken JSON": {
      answer: text(200, '{"kind":', "application/json"),
      code: "PROTOCOL",
      says: `expected JSON in the answer to ${what}, found "{\\"kind\\":"; it may be truncated, or come from something that is not an API server: check the proxies in between`,
    },
    "broken JSON that is long": {
      answer: text(200, `{"kind":"${"x".repeat(100)}`, "application/json"),
      code: "PROTOCOL",
      says: `expected JSON in the answer to ${what}, found "{\\"kind\\":\\"${"x".repeat(71)}" … (109 characters); it may be truncated, or come from something that is not an API server: check the proxies in between`,
    },
    nothing: {
      answer: { status: 200, headers: {}, body: noBody },
      code: "PROTOCOL",
      says: `expected a Kubernetes object in the answer to ${what}, found an empty answer; check that the address is an API server's, and not that of a proxy or a login page`,
    },
    "a proxy's refusal": {
      answer: text(502, "<html>bad gateway"),
      code: "STATUS",
      says: 'an error on the server ("<html>bad gateway") has prevented the request from succeeding (get pods web)',
    },
    "a web server": {
      answer: text(404, "<!DOCTYPE html><title>Not Found</title>"),
      code: "STATUS",
      says: "the server could not find the requested resource (get pods web); the answer is a web page: check that the address is an API server's",
    },
    "an unknown path": {
      answer: text(404, "404 page not found", "text/plain"),
      code: "STATUS",
      says: "the server could not find the requested resource (get pods web)",
    },
    "a Status": {
      answer: text(
        404,
        JSON.stringify({ kind: "Status", apiVersion: "v1", message: 'pods "web" not found', code: 404 }),
        "application/json",
      ),
      code: "STATUS",
      says: 'pods "web" not found',
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { answer, code, says }) => {
    await expect(scripted(answer).client.get(pods, "default/web")).rejects.toMatchObject({ code, message: says })
  })

  test("Retry-After of a proxy may be a date, counted from that of the answer", async () => {
    const dates = { date: "Mon, 05 Jan 2026 12:00:00 GMT", "retry-after": "Mon, 05 Jan 2026 12:00:07 GMT" }
    await expect(scripted(text(503, "busy", "text/plain", dates)).client.get(pods, "default/web")).rejects.toMatchObject({
      retryAfterSeconds: 7,
    })
  })

  test("Retry-After of a proxy is kept", async () => {
    const failure = await scripted(text(503, "busy", "text/plain", { "retry-after": "7" }))
      .client.get(pods, "default/web")
      .catch((error) => error)
    expect(failure).toBeInstanceOf(StatusError)
    expect(failure.retryAfterSeconds).toBe(7)
  })

  test("a watch that is refused", async () => {
    await expect(scripted(text(403, "no", "text/plain")).client.watch(pods)).rejects.toMatchObject({ code: "STATUS", statusCode: 403 })
  })

  test("a watch that is answered whole", async () => {
    await expect(scripted({ kind: "PodList", metadata: {}, items: [] }).client.watch(pods)).rejects.toMatchObject({
      code: "PROTOCOL",
      message: "expected a stream in the answer to WATCH /api/v1/pods, found a whole body",
    })
  })

  test("a list that is none", async () => {
    await expect(scripted(pod).client.list(pods)).rejects.toMatchObject({ message: "expected a list of pods, found a Pod" })
  })
})
