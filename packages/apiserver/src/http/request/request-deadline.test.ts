import { type Transport, type TransportRequest, VirtualClock, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { answerInTime, Deadlines } from "./request-deadline.ts"

const pods = "/api/v1/namespaces/default/pods"
const answered = { status: 200, headers: {}, body: valueBody("done") }

/** As the server does it: the controller is of the request's signal. */
function withDeadline(transport: Transport, clock: VirtualClock, controller = new AbortController()): Transport {
  return (request) => answerInTime(transport, { ...request, signal: controller.signal }, new Deadlines(clock), controller)
}

/** Milliseconds after which a request that would take an hour was cut; undefined when it was not. */
async function cutAfter(request: Partial<TransportRequest>): Promise<number | undefined> {
  const clock = new VirtualClock()
  const slow = withDeadline(async ({ signal }) => {
    await clock.sleep(3_600_000, { name: "a slow answer", signal })
    return answered
  }, clock)
  const outcome = slow({ verb: "GET", path: pods, query: {}, headers: {}, ...request }).then(
    () => undefined,
    (error: { status?: { code?: number; message?: string } }) => {
      expect(error.status).toMatchObject({
        code: 504,
        message: "Timeout: request did not complete within requested timeout - context deadline exceeded",
      })
      return clock.elapsed()
    },
  )
  const started = clock.elapsed()
  await clock.advance(3_600_000)
  const ended = await outcome
  return ended === undefined ? undefined : ended - started
}

test.each([
  ["a read", {}, 60_000],
  ["a write", { verb: "POST" }, 34_000],
  ["one that asks for less", { query: { timeout: "1m30s", x: "y" }, verb: "POST" }, 34_000],
  ["one that gives a second", { query: { timeout: "1s" } }, 1000],
  ["one that gives half of one", { query: { timeout: "500ms" } }, 500],
  ["one that says it does not care", { query: { timeout: "0s" } }, 60_000],
  ["a watch", { query: { watch: "true", timeout: "1s" } }, undefined],
  ["a write that says it is a watch", { query: { watch: "true" }, verb: "POST" }, 34_000],
  ["a log", { path: `${pods}/p/log` }, undefined],
  ["a way into a pod", { path: `${pods}/p/exec`, verb: "POST" }, undefined],
  ["a get that only looks like a watch", { path: `${pods}/p/status`, query: { watch: "true" } }, 60_000],
] as const)("%s is cut in time", async (_what, request, milliseconds) => {
  expect(await cutAfter(request)).toBe(milliseconds)
})

test.each([
  ["1", 'invalid timeout specified in the request URL - time: missing unit in duration "1"'],
  ["soon", 'invalid timeout specified in the request URL - time: invalid duration "soon"'],
])("a limit of %s is none", async (timeout, message) => {
  const asked = withDeadline(async () => answered, new VirtualClock())({ verb: "GET", path: pods, query: { timeout }, headers: {} })
  await expect(asked).rejects.toMatchObject({ status: { code: 400, message } })
})

test("a client that goes away ends what it asked for", async () => {
  const clock = new VirtualClock()
  const client = new AbortController()
  let seen: AbortSignal | undefined
  const transport = withDeadline(
    ({ signal }) => {
      seen = signal
      return new Promise(() => {})
    },
    clock,
    client,
  )
  const asked = transport({ verb: "GET", path: pods, query: {}, headers: {} })
  client.abort()
  await expect(asked).rejects.toMatchObject({ code: "ABORTED" })
  expect(seen?.aborted).toBe(true)
})
