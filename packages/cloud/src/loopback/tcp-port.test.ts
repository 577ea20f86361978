import { PassThrough } from "node:stream"
import { memoryMetrics, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { countersOf } from "./counters.ts"
import { Targets } from "./targets.ts"
import { type TcpClient, TcpPort } from "./tcp-port.ts"

/** A port whose only endpoint takes every connection and says nothing. */
function port(metrics = memoryMetrics()) {
  const clock = new VirtualClock()
  const targets = new Targets(clock)
  targets.set([{ address: "10.0.0.1", port: 80 }])
  const dialer = { dial: async () => new PassThrough(), open: () => expect.fail("nobody sends datagrams") }
  const tcp = new TcpPort({
    service: "default/web",
    clock,
    targets,
    dialer,
    counters: countersOf(metrics),
    log: silentLog,
    admits: () => true,
  })
  return { metrics, tcp, accept: () => tcp.accept(client()) }
}

/** Ends when all that streams have to tell each other by ticks is told. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function client(): TcpClient {
  const stream = new PassThrough()
  return Object.assign(stream, { remoteAddress: "192.0.2.1", bytesRead: 0, bytesWritten: 0, resetAndDestroy: () => stream.destroy() })
}

test("open connections are those of all ports of a Service", async () => {
  const first = port()
  const second = port(first.metrics)
  const open = () => first.metrics.value("pilothouse_loopback_connections", { service: "default/web" })
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
