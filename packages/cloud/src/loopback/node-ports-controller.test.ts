import { once } from "node:events"
import { createServer } from "node:net"
import { nodes, type Service, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import type { Clock } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { NodePorts } from "./node-ports.ts"
import { nodePortsController } from "./node-ports-controller.ts"
import { ask, echo, freePort, type TestEndpoint } from "./testing/traffic.ts"

const addresses = { a: "127.60.9.1", b: "127.60.9.2" } as const

interface Started extends AsyncDisposable {
  readonly running: Cluster
  readonly ports: NodePorts
  readonly nodePort: number
}

/** Two nodes that are this host, and a Service with a node port whose endpoints are real, one on each node. */
async function start(
  endpoints: readonly TestEndpoint[],
  spec: Partial<Service["spec"]> = {},
  nodes: Readonly<Record<string, string>> = addresses,
): Promise<Started> {
  const made: { ports?: NodePorts } = {}
  const extra = (clock: Clock) => {
    made.ports = new NodePorts({ clock })
    return [nodePortsController(made.ports)]
  }
  const notCalled = () => expect.fail("no process is started")
  const exec = { spawn: notCalled, probe: { http: notCalled, tcp: notCalled } }
  const running = await cluster({ nodes: 0, controllers: [], exec, extra })
  const nodePort = 30_000 + ((await freePort()) % 2000)
  for (const [name, address] of Object.entries(nodes))
    await running.apply({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name },
      status: { addresses: [{ type: "InternalIP", address }] },
    } as never)
  const ports = [{ port: 80, protocol: "TCP" as const, targetPort: 8080, nodePort }]
  await running.apply({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec: { type: "NodePort", ports, ...spec },
  } as Service)
  for (const [number, { target }] of endpoints.entries())
    await running.client.create(endpointSlices, {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `web-${number}`, namespace: "default", labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      ports: [{ name: "", port: target.port, protocol: "TCP" }],
      endpoints: [{ addresses: [target.address], conditions: { ready: true }, nodeName: number === 0 ? "a" : "b" }],
    })
  await running.settled()
  return {
    running,
    ports: made.ports!,
    nodePort,
    async [Symbol.asyncDispose]() {
      await made.ports?.[Symbol.asyncDispose]()
      await running.close()
    },
  }
}

test("every node that is this host listens on the node port, and leads to ready endpoints", async () => {
  await using one = await echo("one")
  await using two = await echo("two")
  await using made = await start([one, two])
  const answers = new Set<string>()
  for (const address of Object.values(addresses))
    for (let time = 0; time < 2; time++) answers.add(await ask(address, made.nodePort, "hello"))
  expect(answers).toEqual(new Set(["one:hello", "two:hello"]))
  await made.running.client.delete(services, "default/web")
  await made.running.settled()
  await expect(ask(addresses.a, made.nodePort, "hello")).rejects.toMatchObject({ code: "ECONNREFUSED" })
})

test("with externalTrafficPolicy Local a node leads only to its own", async () => {
  await using one = await echo("one")
  await using two = await echo("two")
  await using made = await start([one, two], { externalTrafficPolicy: "Local" })
  const answers = [await ask(addresses.a, made.nodePort, "x"), await ask(addresses.a, made.nodePort, "x")]
  expect([...answers, await ask(addresses.b, made.nodePort, "x")]).toEqual(["one:x", "one:x", "two:x"])
})

test("with externalTrafficPolicy Local nodes that share an address lead to the endpoints of all of them, and of no other", async () => {
  await using one = await echo("one")
  await using two = await echo("two")
  await using made = await start([one, two], { externalTrafficPolicy: "Local" }, { a: addresses.a, elsewhere: addresses.b, b: addresses.a })
  const answers = new Set<string>()
  for (let time = 0; time < 4; time++) answers.add(await ask(addresses.a, made.nodePort, "x"))
  expect(answers).toEqual(new Set(["one:x", "two:x"]))
  await expect(ask(addresses.b, made.nodePort, "x")).rejects.toMatchObject({ code: "ECONNRESET" })
})

test("a node port that another process has is never replaced: it is an error, and retried", async () => {
  await using one = await echo("one")
  await using made = await start([one])
  const other = createServer().listen(made.nodePort + 2000, addresses.a)
  await once(other, "listening")
  const taken = { ...addresses, port: made.nodePort + 2000 }
  const wanted = { address: addresses.a, protocol: "TCP" as const, port: taken.port, targets: [one.target] }
  await expect(made.ports.set("default/other", [wanted, { ...wanted, address: addresses.b }])).rejects.toThrow(
    `expected to bind ${addresses.a}:${taken.port}, found that this process cannot`,
  )
  expect(await ask(addresses.b, taken.port, "hello")).toBe("one:hello")
  other.close()
  await once(other, "close")
  await made.ports.set("default/other", [wanted])
  expect(await ask(addresses.a, taken.port, "hello")).toBe("one:hello")
})

test("a node that is somewhere else is left to its own kube-proxy, and one that moves here is served", async () => {
  await using one = await echo("one")
  await using made = await start([one], {}, { a: addresses.a, elsewhere: "10.99.0.1" })
  expect(made.ports.of("default/web").map(({ address }) => address)).toEqual([addresses.a])
  const moved = { status: { addresses: [{ type: "InternalIP", address: addresses.b }] } }
  await made.running.client.patch(nodes, "elsewhere", moved, { subresource: "status" })
  await made.running.settled()
  expect(await ask(addresses.b, made.nodePort, "x")).toBe("one:x")
})

test("a client stays with its endpoint where the Service says so", async () => {
  await using one = await echo("one")
  await using two = await echo("two")
  await using made = await start([one, two], { sessionAffinity: "ClientIP" })
  const answers = new Set<string>()
  for (let time = 0; time < 4; time++) answers.add(await ask(addresses.a, made.nodePort, "x"))
  expect(answers.size).toBe(1)
})

test("with externalTrafficPolicy Local the health check port says which nodes have endpoints", async () => {
  await using one = await echo("one")
  await using made = await start([one], { type: "LoadBalancer", externalTrafficPolicy: "Local" })
  const { healthCheckNodePort = 0 } = (await made.running.client.get(services, "default/web")).spec ?? {}
  const asked = async (address: string) => {
    const [head = "", body = ""] = (await ask(address, healthCheckNodePort, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")).split("\r\n\r\n")
    return [head.split("\r\n")[0], /^X-Load-Balancing-Endpoint-Weight: (.*)$/m.exec(head)?.[1], JSON.parse(body)]
  }
  const said = (localEndpoints: number) => ({ service: { namespace: "default", name: "web" }, localEndpoints, serviceProxyHealthy: true })
  expect(await asked(addresses.a)).toEqual(["HTTP/1.1 200 OK", "1", said(1)])
  expect(await asked(addresses.b)).toEqual(["HTTP/1.1 503 Service Unavailable", "0", said(0)])
  const [slice] = await made.running.list(endpointSlices, { labelSelector: "kubernetes.io/service-name=web" })
  const endpoints = slice!.endpoints!.map((endpoint) => ({ ...endpoint, conditions: { ready: false, serving: true, terminating: true } }))
  await made.running.client.update(endpointSlices, { ...slice!, endpoints })
  await made.running.settled()
  expect((await asked(addresses.a))[0]).toBe("HTTP/1.1 503 Service Unavailable")
  expect(await ask(addresses.a, made.nodePort, "late")).toBe("one:late")
  await made.running.client.delete(services, "default/web")
  await made.running.settled()
  await expect(ask(addresses.a, healthCheckNodePort, "")).rejects.toMatchObject({ code: "ECONNREFUSED" })
})
