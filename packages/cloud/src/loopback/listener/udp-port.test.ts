import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { loopbackCounters } from "../targets/counters.ts"
import { type Target, Targets } from "../targets/targets.ts"
import { type Client, UdpPort } from "./udp-port.ts"

interface SentFlow {
  readonly address: string
  answer(): void
  refuse(): void
}

/** A port with one endpoint; `open` has the flows to endpoints by their number, and `answers` how many came back to clients. */
function port(metrics = memoryMetrics(), admits: (client: string) => boolean = () => true) {
  const clock = new VirtualClock()
  const targets = new Targets(clock)
  targets.set([target("10.0.0.1")])
  const open = new Map<number, SentFlow>()
  const answers: number[] = []
  let opened = 0
  const udp = new UdpPort({
    service: "default/dns",
    clock,
    targets,
    counters: loopbackCounters(metrics),
    admits,
    answer: (_message, client) => answers.push(client.port),
    dialer: {
      dial: () => expect.fail("nothing is dialled"),
      open: (address, _port, { receive, refused }) => {
        const number = ++opened
        open.set(number, { address, answer: () => receive(new Uint8Array()), refuse: refused })
        return { send() {}, close: () => void open.delete(number) }
      },
    },
  })
  const from = (number: number): Client => ({ address: "192.0.2.1", port: number })
  const ready = (...addresses: readonly string[]) => {
    targets.set(addresses.map(target))
    udp.targetsChanged()
  }
  return { clock, metrics, targets, open, answers, ready, send: (number: number) => udp.receive(new Uint8Array(), from(number)) }
}

function target(address: string): Target {
  return { address, port: 53 }
}

test("flows of a UDP port grew without end: the one that is idle for longest ends for the thousand-and-first", () => {
  const { open, metrics, send } = port()
  for (let number = 1; number <= 1000; number++) send(number)
  send(1)
  open.get(2)!.answer()
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
  open.get(1)!.answer()
  await clock.advance(50_000)
  expect(open.size).toBe(1)
  await clock.advance(10_000)
  expect(open.size).toBe(0)
})

test("a flow moved while its endpoint was answering, and the answer was lost", async () => {
  const { clock, open, answers, ready, send } = port()
  send(1)
  ready("10.0.0.2")
  open.get(1)!.answer()
  expect(answers).toEqual([1])
  send(1)
  expect(open.get(2)?.address).toBe("10.0.0.2")
  open.get(1)!.answer()
  open.get(2)!.answer()
  expect(answers).toEqual([1, 1, 1])
  await clock.advance(5000)
  expect([...open.keys()]).toEqual([2])
})

test("flows that only wait for last answers are no more than a thousand", async () => {
  const { clock, open, ready, send } = port()
  for (let number = 1; number <= 1000; number++) send(number)
  ready("10.0.0.2")
  for (let number = 1; number <= 3; number++) send(number)
  ready("10.0.0.3")
  expect(open.size).toBe(1000)
  expect([3, 4, 1003].filter((number) => open.has(number))).toEqual([4, 1003])
  await clock.advance(5000)
  expect(open.size).toBe(0)
})

test("where nothing listens the next datagram goes to another endpoint", () => {
  const { metrics, open, ready, send } = port()
  ready("10.0.0.1", "10.0.0.2")
  send(1)
  const first = open.get(1)!
  first.refuse()
  first.refuse()
  send(1)
  send(2)
  const later = [...open.values()].map(({ address }) => address)
  expect([later.length, later.includes(first.address)]).toEqual([2, false])
  expect(metrics.text()).toContain('pilothouse_loopback_connect_failures_total{service="default/dns"} 1')
})

test("flows are those of all ports of a Service", async () => {
  const first = port()
  const second = port(first.metrics)
  const flows = () => first.metrics.value("pilothouse_loopback_flows", { service: "default/dns" })
  first.send(1)
  first.send(2)
  second.send(1)
  expect(flows()).toBe(3)
  await second.clock.advance(60_000)
  expect(flows()).toBe(2)
  first.ready()
  expect(flows()).toBe(0)
})

test("a client outside the ranges is counted, and reaches no endpoint", () => {
  const { metrics, open, send } = port(memoryMetrics(), (client) => client !== "192.0.2.1")
  send(1)
  expect([open.size, metrics.value("pilothouse_loopback_refused_total", { service: "default/dns" })]).toEqual([0, 1])
})

test("with ClientIP affinity all flows of one client lead to one endpoint", () => {
  const { targets, open, ready, send } = port()
  ready("10.0.0.1", "10.0.0.2")
  targets.stick({ timeout: 1000 })
  for (let number = 1; number <= 4; number++) send(number)
  expect(new Set([...open.values()].map(({ address }) => address)).size).toBe(1)
})

test("without an endpoint a datagram is lost, and no flow is kept", () => {
  const { metrics, open, ready, send } = port()
  ready()
  send(1)
  expect([open.size, metrics.value("pilothouse_loopback_flows", { service: "default/dns" }) ?? 0]).toEqual([0, 0])
})
