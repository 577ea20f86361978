import { type Duplex, PassThrough } from "node:stream"
import { memoryMetrics, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { PodDialer } from "../dialer/pod-dialer.ts"
import { loopbackCounters } from "../targets/counters.ts"
import { Targets } from "../targets/targets.ts"
import { type TcpClient, TcpPort } from "./tcp-port.ts"

const service = "default/web"

interface Given {
  readonly metrics?: ReturnType<typeof memoryMetrics>
  /** Addresses of the endpoints. */
  readonly endpoints?: readonly string[]
  readonly dial?: PodDialer["dial"]
  readonly admits?: (client: string) => boolean
}

/** A port whose only endpoint accepts every connection and sends nothing, by default. */
function port({
  metrics = memoryMetrics(),
  endpoints = ["10.0.0.1"],
  dial = async () => new PassThrough(),
  admits = () => true,
}: Given = {}) {
  const clock = new VirtualClock()
  const targets = new Targets(clock)
  targets.set(endpoints.map((address) => ({ address, port: 80 })))
  const dialled: string[] = []
  const dialer: PodDialer = {
    dial(address, number, signal) {
      dialled.push(`${address} ${clock.elapsed()}`)
      return dial(address, number, signal)
    },
    open: () => expect.fail("no datagram is sent"),
  }
  const tcp = new TcpPort({ service, clock, targets, dialer, counters: loopbackCounters(metrics), log: silentLog, admits })
  const accept = () => {
    const made = client()
    tcp.accept(made)
    return made
  }
  const value = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    metrics.value(`pilothouse_loopback_${name}`, { service, ...labels })
  return { clock, metrics, targets, tcp, dialled, accept, value }
}

/** Ends when the streams have delivered all their ticks. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function client(): TcpClient & { readonly resets: number } {
  const stream = new PassThrough()
  const counted = { remoteAddress: "192.0.2.1", bytesRead: 5, bytesWritten: 7, resets: 0 }
  const made = Object.assign(stream, counted, { resetAndDestroy: () => (made.resets++, stream.destroy()) })
  return made
}

/** Sends nothing until it is aborted. */
const silent: PodDialer["dial"] = (_address, _port, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("told to stop"))))

test("open connections are those of all ports of a Service", async () => {
  const first = port()
  const second = port({ metrics: first.metrics })
  const open = () => first.value("connections")
  first.accept()
  first.accept()
  second.accept()
  expect(open()).toBe(3)
  second.tcp.cut()
  await turn()
  expect(open()).toBe(2)
  first.tcp.cut()
  await turn()
  expect(open()).toBe(0)
})

test("bytes are counted when a connection has ended", async () => {
  const { accept, value } = port()
  const connected = accept()
  await turn()
  expect([value("connections_total"), value("bytes_total", { direction: "in" }) ?? 0]).toEqual([1, 0])
  connected.destroy()
  await turn()
  expect([value("bytes_total", { direction: "in" }), value("bytes_total", { direction: "out" })]).toEqual([5, 7])
})

test("a client outside the ranges is reset and counted, and reaches no endpoint", async () => {
  const { accept, value, dialled } = port({ admits: (from) => from !== "192.0.2.1" })
  expect(accept().resets).toBe(1)
  await turn()
  expect([value("refused_total"), value("connections") ?? 0, dialled]).toEqual([1, 0, []])
})

test("an endpoint that does not answer within three seconds is passed over", async () => {
  const dial: PodDialer["dial"] = (address, ...rest) =>
    address === "10.0.0.1" ? silent(address, ...rest) : Promise.resolve(new PassThrough())
  const { clock, tcp, accept, dialled, value } = port({ endpoints: ["10.0.0.1", "10.0.0.2"], dial })
  const waiting = accept()
  await clock.advance(2999)
  expect(dialled).toEqual(["10.0.0.1 0"])
  await clock.advance(1)
  expect(dialled).toEqual(["10.0.0.1 0", "10.0.0.2 3000"])
  expect([waiting.resets, value("connections_total"), value("connect_failures_total")]).toEqual([0, 1, 1])
  tcp.drain()
  tcp.cut()
})

test("where all refuse the client is reset, and counts as open no more", async () => {
  const { tcp, accept, dialled, value } = port({
    endpoints: ["10.0.0.1", "10.0.0.2"],
    dial: () => Promise.reject(new Error("connection refused")),
  })
  const refused = accept()
  await turn()
  expect([refused.resets, dialled.length, value("connections"), value("connect_failures_total")]).toEqual([1, 2, 0, 2])
  tcp.drain()
})

test("one that left while another was tried got a new connection", async () => {
  const { clock, tcp, targets, accept, dialled } = port({ endpoints: ["10.0.0.1", "10.0.0.2"], dial: silent })
  const waiting = accept()
  await clock.advance(1000)
  targets.set([{ address: "10.0.0.1", port: 80 }])
  await clock.advance(3000)
  expect([dialled[0], dialled.some((text) => text.startsWith("10.0.0.2")), waiting.resets]).toEqual(["10.0.0.1 0", false, 1])
  tcp.drain()
})

test("once the client has gone no further endpoint is dialled, and a connected one is closed", async () => {
  const answer = Promise.withResolvers<Duplex>()
  const { accept, dialled, value } = port({ endpoints: ["10.0.0.1", "10.0.0.2"], dial: () => answer.promise })
  accept().destroy()
  const endpoint = new PassThrough()
  answer.resolve(endpoint)
  await turn()
  expect([endpoint.destroyed, dialled.length, value("connections"), value("connections_total") ?? 0]).toEqual([true, 1, 0, 0])
})

test("a client that goes while an endpoint refuses had all the others dialled", async () => {
  const answer = Promise.withResolvers<Duplex>()
  const { tcp, accept, dialled } = port({ endpoints: ["10.0.0.1", "10.0.0.2"], dial: () => answer.promise })
  accept().destroy()
  answer.reject(new Error("connection refused"))
  await turn()
  expect(dialled).toHaveLength(1)
  tcp.drain()
})

test("a client that breaks before an endpoint was found breaks nothing else", async () => {
  const { tcp, accept } = port({ dial: silent })
  const broken = accept()
  broken.destroy(new Error("connection reset"))
  await turn()
  expect([broken.destroyed, tcp.connections]).toEqual([true, 1])
  tcp.drain()
  tcp.cut()
  await turn()
  expect(tcp.connections).toBe(0)
})
