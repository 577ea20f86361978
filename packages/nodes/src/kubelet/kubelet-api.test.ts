import type { Container, Pod } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { VirtualClock } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { kubeletApi } from "./kubelet-api.ts"
import { simulatedNode } from "./node/simulated-node.ts"

function pod(name: string, containers: readonly Partial<Container>[]): Pod {
  const whole = containers.map((container, at) => ({ name: "ab"[at]!, image: "busybox", ...container }))
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers: whole } }
}

async function log(running: Cluster, name: string, query: Readonly<Record<string, string>> = {}): Promise<string> {
  const { status, body } = await running.transport({ verb: "GET", path: `/api/v1/namespaces/default/pods/${name}/log`, query, headers: {} })
  if (body.type === "stream") throw new Error("expected a whole answer, found a stream")
  if (body.type === "bytes") return new TextDecoder().decode(body.bytes)
  return `${status} ${(body.value as { message?: string }).message}`
}

async function start(): Promise<Cluster> {
  const running = await cluster({ controllers: [] })
  await running.apply(pod("talks", [{ command: ["sh", "-c", "echo one; sleep 10; echo two; sleep 10; exit 3"] }]))
  await running.apply(pod("serves", [{}, { image: "x:404" }]))
  await running.settled()
  return running
}

test("what its command would print, when it would", async () => {
  await using running = await start()
  expect(await log(running, "talks")).toBe("one\n")
  await running.advance("11s")
  expect(await log(running, "talks")).toBe("one\ntwo\n")
  expect(await log(running, "talks", { tailLines: "1" })).toBe("two\n")
  expect(await log(running, "talks", { limitBytes: "5" })).toBe("one\nt")
  expect(await log(running, "talks", { sinceSeconds: "5" })).toBe("two\n")
  expect(await log(running, "talks", { timestamps: "true" })).toBe(
    "2026-01-05T09:00:00.000000000Z one\n2026-01-05T09:00:10.000000000Z two\n",
  )
})

test("of the run before", async () => {
  await using running = await start()
  expect(await log(running, "talks", { previous: "true" })).toBe('400 previous terminated container "a" in pod "talks" not found')
  await running.advance("22s")
  expect(await log(running, "talks", { previous: "true" })).toBe("one\ntwo\n")
  expect(await log(running, "talks")).toBe("one\n")
})

test("a container whose command is not understood logs that it runs; one without an image has no log", async () => {
  await using running = await start()
  expect(await log(running, "serves", { container: "a" })).toBe("a started (simulated: nothing of image busybox runs)\n")
  expect(await log(running, "serves", { container: "b" })).toBe(
    `400 container "b" in pod "serves" is waiting to start: image can't be pulled`,
  )
})

/** What a client that follows a log receives, and when that has ended. */
async function following(running: Cluster, name: string, more: Readonly<Record<string, string>> = {}) {
  const query = { follow: "true", ...more }
  const { body } = await running.transport({ verb: "GET", path: `/api/v1/namespaces/default/pods/${name}/log`, query, headers: {} })
  if (body.type !== "stream") throw new Error("expected a stream")
  const pieces: string[] = []
  const reading = (async () => {
    for await (const frame of body.frames) if (frame.type === "bytes") pieces.push(new TextDecoder().decode(frame.bytes))
    pieces.push("END")
  })()
  return { pieces, reading }
}

test("a client that follows a restarted container loses its last lines, and receives some of the next run", async () => {
  await using running = await start()
  await running.apply(pod("short", [{ command: ["sh", "-c", "echo one; sleep 10; echo two; exit 3"] }]))
  await running.settled()
  const { pieces } = await following(running, "short")
  await running.advance("12s")
  expect(pieces).toEqual(["one\n", "two\n", "END"])
})

test("applies the limit of a followed log to all reads together", async () => {
  await using running = await start()
  const { pieces } = await following(running, "talks", { limitBytes: "6" })
  await running.advance("12s")
  expect(pieces).toEqual(["one\n", "tw", "END"])
})

test("who follows gets the lines as they come, and the end", async () => {
  await using running = await start()
  const { pieces, reading } = await following(running, "talks")
  await running.advance("5s")
  expect(pieces).toEqual(["one\n"])
  await running.advance("7s")
  expect(pieces).toEqual(["one\n", "two\n"])
  await running.client.request({ verb: "DELETE", path: "/api/v1/namespaces/default/pods/talks" })
  await running.advance("2s")
  await reading
})

test("a path with half an escape was thrown back as a fault of ours", async () => {
  const client = { get: async () => simulatedNode(1) } as unknown as Client
  const ask = kubeletApi({ clock: new VirtualClock(), client: () => client })("node-1")
  expect((await ask({ verb: "GET", path: "/healthz/%", query: {}, headers: {} })).status).toBe(400)
  expect((await ask({ verb: "GET", path: "/healthz/%25", query: {}, headers: {} })).status).toBe(200)
})

test("commands cannot be run in what does not run", async () => {
  await using running = await start()
  const headers = { connection: "Upgrade", upgrade: "websocket" }
  const path = "/api/v1/namespaces/default/pods/talks/exec"
  const { status, body } = await running.transport({ verb: "POST", path, query: { command: "ls", stdout: "true" }, headers })
  expect([status, (body as { value?: { message?: string } }).value?.message]).toEqual([
    405,
    'cannot run a command in container "a": it is simulated and has no process; containers with the image "process" on a cluster of `pilothouse up --exec` have one',
  ])
})
