import { silentLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { AggregateRegistry } from "./aggregate/aggregate-registry.ts"
import { explain, parseQuestion } from "./explain.ts"
import { type EndpointShape, kubePod, kubeService, kubeSlice } from "./testing/kube-objects.ts"
import { registryFixture } from "./testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"

test("a question as the command line takes it", () => {
  expect([parseQuestion(`${host}:80`, "10.0.0.1"), parseQuestion(host)]).toEqual([
    { hostname: host, port: 80, address: "10.0.0.1" },
    { hostname: host },
  ])
})

const rows: readonly (readonly [what: string, endpoint: Partial<EndpointShape>, spec: object, answer: string])[] = [
  ["a healthy pod", { pod: "web-1" }, {}, "10.0.0.1 is in: it is healthy: pod shop/web-1"],
  ["an address by hand", {}, {}, "10.0.0.1 is in: it is healthy: an address that was written by hand"],
  ["not ready", { pod: "web-1", ready: false }, {}, "10.0.0.1 is out: it is not ready"],
  [
    "not ready and published",
    { pod: "web-1", ready: false },
    { publishNotReadyAddresses: true },
    "10.0.0.1 is in: it is healthy, because the service publishes what is not ready: pod shop/web-1",
  ],
  [
    "not ready, and near ones are preferred",
    { pod: "web-1", ready: false },
    { trafficDistribution: "PreferClose" },
    "10.0.0.1 is in: it is unhealthy: pod shop/web-1",
  ],
  ["terminating", { pod: "web-1", ready: false, terminating: true }, {}, "10.0.0.1 is out: it is terminating"],
  ["no pod yet", { pod: "web-9" }, {}, "10.0.0.1 is out: its pod shop/web-9 has not been seen yet"],
  [
    "another port name",
    { pod: "web-1" },
    { ports: [{ name: "grpc", port: 80 }] },
    '10.0.0.1 is out: no port of the service is named "http"',
  ],
]
for (const [what, endpoint, spec, answer] of rows)
  test(`why: ${what}`, async () => {
    const byHand = endpoint.pod === undefined
    const objects = [kubeService("shop/web", spec), kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", ...endpoint }] })]
    await using f = await registryFixture({ objects: byHand ? objects : [...objects, kubePod("shop/web-1", { ip: "10.0.0.1" })] })
    expect(explain(f.registry, { hostname: host, address: "10.0.0.1" }).answer).toBe(answer)
  })

const untold: readonly (readonly [what: string, ports: readonly object[], exportTo: string, why: string])[] = [
  ["a service that no namespace may see", [{ name: "http", port: 80 }], "~", "no namespace may see the service (exportTo ~)"],
  ["a port of UDP", [{ name: "http", port: 80, protocol: "UDP" }], "*", "its port is UDP, which is not sent to clients"],
]
for (const [what, ports, exportTo, why] of untold)
  for (const [kind, spec, address] of [
    ["an address", {}, "10.0.0.1"],
    ["an ExternalName", { type: "ExternalName", externalName: "api.example.com" }, "api.example.com"],
  ] as const)
    test(`why: ${kind} behind ${what}`, async () => {
      const annotations = { "networking.istio.io/exportTo": exportTo }
      const service = kubeService("shop/web", { ...spec, ports: ports as [] }, { annotations })
      await using f = await registryFixture({ objects: [service, kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1" }] })] })
      const { answer, endpoints } = explain(f.registry, { hostname: host, address })
      expect([answer, endpoints.map((one) => one.in)]).toEqual([`${address} is out: ${why}`, [false]])
    })

test("one address in two clusters is two endpoints, and both are in", async () => {
  const objects = [kubeService("shop/web"), kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1" }] })]
  await using east = await registryFixture({ cluster: "east", objects })
  await using west = await registryFixture({ cluster: "west", objects })
  const all = new AggregateRegistry({ log: silentLog })
  const stopping = new AbortController()
  for (const { registry } of [east, west]) {
    registry.run = () => Promise.resolve()
    all.add(registry)
  }
  const running = all.run(stopping.signal)
  expect(explain(all, parseQuestion(host)).answer).toBe(`${host}: 2 of 2 endpoints are sent`)
  stopping.abort()
  await running
})

test("a hostname, a port and an address that are not there", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web")] })
  expect(explain(f.registry, parseQuestion("unknown:80")).answer).toBe("no service has the hostname unknown")
  expect(explain(f.registry, parseQuestion(`${host}:99`)).answer).toBe(`${host} has no port 99; it has 80`)
  expect(explain(f.registry, parseQuestion(host, "10.0.0.9")).answer).toBe(`10.0.0.9 is out: no slice of ${host} has it`)
})

test("before the first state is read nothing is sent, and that is the answer", () => {
  const empty = { synced: false, getService: () => undefined, endpoints: () => [], judgements: () => [], changedAt: () => undefined }
  expect(explain(empty, parseQuestion(host)).answer).toBe("the first state has not been read yet; nothing is sent before")
})

test("all endpoints of a port, each with its reason, its slice and when it last changed", async () => {
  const ports = [
    { name: "http", port: 8080 },
    { name: "admin", port: 9090 },
  ]
  const slices = [
    kubeSlice("shop/web-1", { ports, endpoints: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2", ready: false }] }),
    kubeSlice("shop/web-2", { ports, endpoints: [{ ip: "10.0.0.1" }] }),
  ]
  await using f = await registryFixture({
    objects: [
      kubeService("shop/web", {
        ports: [
          { name: "http", port: 80 },
          { name: "admin", port: 90 },
        ],
      }),
      ...slices,
    ],
  })
  const { answer, endpoints, changedAt } = explain(f.registry, parseQuestion(`${host}:80`))
  expect(answer).toBe(`${host}: 1 of 3 endpoints are sent`)
  expect(endpoints.map((one) => `${one.address} ${one.in ? "in" : "out"} by ${one.source}: ${one.reason}`)).toEqual([
    "10.0.0.1 in by shop/web-1: it is healthy: an address that was written by hand",
    "10.0.0.2 out by shop/web-1: it is not ready",
    "10.0.0.1 out by shop/web-2: another slice has it too, and that one counts",
  ])
  expect(changedAt).toBe(f.clock.now())
})

test("an ExternalName", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web", { type: "ExternalName", externalName: "api.example.com" })] })
  expect(explain(f.registry, parseQuestion(host, "api.example.com")).answer).toBe(
    "api.example.com is in: the service is an ExternalName of api.example.com",
  )
})

const aliasTo = (name: string, to: string, exportTo = "*") =>
  kubeService(
    `shop/${name}`,
    { type: "ExternalName", externalName: to, ports: [] },
    { annotations: { "networking.istio.io/exportTo": exportTo } },
  )
const hostOf = (name: string) => `${name}.shop.svc.cluster.local`

test.each([
  ["old", `${hostOf("old")} is an alias of ${host}; ${host}: 1 of 1 endpoints are sent`],
  ["older", `${hostOf("older")} is an alias of ${hostOf("old")}, which is one of ${host}; ${host}: 1 of 1 endpoints are sent`],
  ["out", `${hostOf("out")} is an alias of api.example.com, which no service has as its hostname; it is not sent to clients`],
  [
    "round",
    `${hostOf("round")} is an alias that leads in a circle: ${hostOf("round")} → ${hostOf("about")} → ${hostOf("round")}; it is not sent to clients`,
  ],
  ["self", `${hostOf("self")} is an alias that leads in a circle: ${hostOf("self")} → ${hostOf("self")}; it is not sent to clients`],
  ["dark", `${hostOf("dark")} is an alias of ${host}, and no namespace may see it (exportTo ~)`],
])("an alias says so, and whose endpoints they are: %s", async (name, answer) => {
  const aliases = [
    aliasTo("old", host),
    aliasTo("older", hostOf("old")),
    aliasTo("out", "api.example.com"),
    aliasTo("round", hostOf("about")),
    aliasTo("about", hostOf("round")),
    aliasTo("self", hostOf("self")),
    aliasTo("dark", host, "~"),
  ]
  const objects = [kubeService("shop/web"), kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1" }] }), ...aliases]
  await using f = await registryFixture({ externalNames: "alias", objects })
  const explained = explain(f.registry, parseQuestion(hostOf(name)))
  expect(explained.answer).toBe(answer)
  expect(explained.endpoints.map(({ address, in: told }) => `${address} ${told}`)).toEqual(name.startsWith("old") ? ["10.0.0.1 true"] : [])
})

test("an alias has the ports of what it stands for", async () => {
  const objects = [kubeService("shop/web"), aliasTo("old", host), kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1" }] })]
  await using f = await registryFixture({ externalNames: "alias", objects })
  const answers = [parseQuestion(`${hostOf("old")}:80`, "10.0.0.1"), parseQuestion(`${hostOf("old")}:99`)].map(
    (one) => explain(f.registry, one).answer,
  )
  expect(answers).toEqual([
    `${hostOf("old")} is an alias of ${host}; 10.0.0.1 is in: it is healthy: an address that was written by hand`,
    `${hostOf("old")} is an alias of ${host}; ${host} has no port 99; it has 80`,
  ])
})
