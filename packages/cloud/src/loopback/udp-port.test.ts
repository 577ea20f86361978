import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { countersOf } from "./counters.ts"
import { Targets } from "./targets.ts"
import { type Client, UdpPort } from "./udp-port.ts"

/** A port with one endpoint; `open` has who was sent to it and can answer. */
function port() {
  const clock = new VirtualClock()
  const metrics = memoryMetrics()
  const targets = new Targets(clock)
  targets.set([{ address: "10.0.0.1", port: 53 }])
  const open = new Map<number, () => void>()
  let opened = 0
  const udp = new UdpPort({
    service: "default/dns",
    clock,
    targets,
    counters: countersOf(metrics),
    admits: () => true,
    answer: () => {},
    dialer: {
      dial: () => expect.fail("nobody dials"),
      open: (_address, _port, receive) => {
        const number = ++opened
        open.set(number, () => receive(new Uint8Array()))
        return { send() {}, close: () => void open.delete(number) }
      },
    },
  })
  const from = (number: number): Client => ({ address: "192.0.2.1", port: number })
  return { clock, metrics, open, send: (number: number) => udp.receive(new Uint8Array(), from(number)) }
}

test("flows of a UDP port grew without end: the one that is idle for longest ends for the thousand-and-first", () => {
  const { open, metrics, send } = port()
  for (let number = 1; number <= 1000; number++) send(number)
  send(1)
  open.get(2)!()
  send(1001)
  send(1002)
  expect([1, 2, 3, 4, 5].filter((number) => open.has(number))).toEqual([1, 2, 5])
  expect(open.size).toBe(1000)
  expect(metrics.text()).toContain('pilothouse_loopback_flows_dropped_total{service="default/dns"} 2')
})

test("a flow ended while its endpoint still answered", async () => {
  const { clock, open, send } = port()
  send(1)
  await clock.advance(50_000)
  open.get(1)!()
  await clock.advance(50_000)
  expect(open.size).toBe(1)
  await clock.advance(10_000)
  expect(open.size).toBe(0)
})
