import { getEventListeners } from "node:events"
import type { Probe } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { type AskProbeOptions, askProbe } from "./process-probes.ts"
import { fakeHost } from "./testing/spawn.ts"

const probe = { exec: { command: ["check"] } }

function asked() {
  const host = fakeHost()
  const options: AskProbeOptions = {
    container: { name: "main" },
    address: "127.0.0.1",
    call: { argv: [], env: {} },
    host: host.probe,
    spawn: host.spawn,
  }
  return { host, options }
}

test("the command of a probe has the user of its container, and ends without it", async () => {
  const { host, options } = asked()
  const user = { uid: 7, gid: 7, groups: [], home: "/" }
  const call = { ...options.call, credentials: { user }, endsCarriersOf: "PILOTHOUSE_CONTAINER=u/main/0" }
  const answer = askProbe(probe, { ...options, call }, new AbortController().signal)
  await Promise.resolve()
  host.started[0]!.end({ exitCode: 0 })
  await answer
  expect(host.started).toMatchObject([{ argv: ["check"], credentials: { user }, endsCarriersOf: undefined }])
})

test("a probe whose time was over while its command started ran on", async () => {
  const { host, options } = asked()
  const stop = new AbortController()
  const answer = askProbe(probe, options, stop.signal)
  stop.abort()
  await expect(answer).rejects.toThrow("exit code 137")
  expect(host.started[0]?.signals).toEqual(["SIGKILL"])
})

test("a probe whose time is over before it began starts nothing", async () => {
  const { host, options } = asked()
  await expect(askProbe(probe, options, AbortSignal.abort())).rejects.toMatchObject({ code: "ABORTED" })
  expect(host.started).toEqual([])
})

test.each([
  ["well", 0],
  ["ill", 1],
])("the listener of a probe goes with it: %s", async (_how, exitCode) => {
  const { host, options } = asked()
  const { signal } = new AbortController()
  const answer = askProbe(probe, options, signal).catch(() => "ill")
  await Promise.resolve()
  host.started[0]!.end({ exitCode })
  expect(await answer).toBe(exitCode === 0 ? undefined : "ill")
  expect(getEventListeners(signal, "abort")).toEqual([])
})

/** What the host is asked; the container calls its port 8080 "web". */
async function question(probe: Probe): Promise<readonly unknown[]> {
  const found: unknown[] = []
  const { options } = asked()
  const host = {
    tcp: async (...[address, port]: readonly unknown[]) => void found.push(address, port),
    http: async (...[url, headers]: readonly unknown[]) => void found.push(url, headers),
  }
  const container = { name: "main", ports: [{ name: "web", containerPort: 8080 }] }
  await askProbe(probe, { ...options, container, address: "127.116.1.1", host }, new AbortController().signal)
  return found
}

const agent = { "user-agent": "kube-probe/1.36" }

test.each<[string, Probe, readonly unknown[]]>([
  ["HTTP on the pod's own address", { httpGet: { port: 80 } }, ["http://127.116.1.1:80/", agent]],
  ["HTTP on a named port", { httpGet: { port: "web", path: "/healthz" } }, ["http://127.116.1.1:8080/healthz", agent]],
  ["a path without its slash", { httpGet: { port: 80, path: "live" } }, ["http://127.116.1.1:80/live", agent]],
  ["HTTPS", { httpGet: { port: 443, scheme: "HTTPS" } }, ["https://127.116.1.1:443/", agent]],
  ["HTTP elsewhere", { httpGet: { port: 80, host: "127.0.0.1" } }, ["http://127.0.0.1:80/", agent]],
  [
    "headers of one's own",
    { httpGet: { port: 80, httpHeaders: [{ name: "X", value: "y" }] } },
    ["http://127.116.1.1:80/", { ...agent, X: "y" }],
  ],
  ["TCP on a named port", { tcpSocket: { port: "web" } }, ["127.116.1.1", 8080]],
  ["TCP elsewhere", { tcpSocket: { port: 80, host: "127.0.0.1" } }, ["127.0.0.1", 80]],
  ["gRPC: whether a server listens", { grpc: { port: 9000 } }, ["127.116.1.1", 9000]],
])("%s", async (_name, probe, expected) => {
  expect(await question(probe)).toEqual(expected)
})

test("a port that the container does not have", async () => {
  await expect(question({ tcpSocket: { port: "metrics" } })).rejects.toThrow('expected a port of the container, found "metrics"')
})

test("a command says why it failed with its last line", async () => {
  const { host, options } = asked()
  const answer = askProbe(probe, options, new AbortController().signal)
  await Promise.resolve()
  expect(host.started[0]?.argv).toEqual(["check"])
  host.started[0]!.line("looking")
  host.started[0]!.line("no heartbeat")
  host.started[0]!.end({ exitCode: 2 })
  await expect(answer).rejects.toThrow("no heartbeat")
})
