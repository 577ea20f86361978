import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { field } from "../wire/length-delimited.ts"
import { messages } from "../wire/messages.ts"
import { typeUrls } from "../xds/kinds.ts"

const host = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${host}`
const id = "sidecar~10.0.0.1~c1.shop~shop.svc.cluster.local"
const [nodeField, extensionsField] = [2, 9]

function setUp() {
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  registry.putEndpoints(host, [testEndpoint("10.0.0.1", 80)])
  const hub = new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() })
  return { registry, hub, client: new RawClient(hub) }
}

/** A request as Envoy writes one that says who it is: with 60 kB of extensions that it was built with. */
function request(rest: object): Buffer {
  const node = Buffer.concat([messages.node.encode({ id, userAgentName: "envoy" }), field(extensionsField, Buffer.alloc(60_000, 0x0a))])
  return Buffer.concat([messages.discoveryRequest.encode(rest), field(nodeField, node)])
}

test("a client that says with every request who it is stays one client, with one subscription", async () => {
  const { registry, hub, client } = setUp()
  const asked = { typeUrl: typeUrls.endpoint, resourceNames: [cluster] }
  client.say(request(asked))
  client.say(request({ ...asked, responseNonce: client.received[0]!.nonce, versionInfo: client.received[0]!.version }))
  expect([hub.sessions.size, client.failures, client.told()]).toEqual([1, [], [`eds ${cluster}`]])
  registry.putEndpoints(host, [])
  await Promise.resolve()
  expect(client.told()).toEqual([`eds ${cluster}`])
})

test("a later request may leave out who it is, or say something else: the first one counts", () => {
  const { hub, client } = setUp()
  client.say(request({ typeUrl: typeUrls.cluster }))
  client.say(
    Buffer.from(messages.discoveryRequest.encode({ node: { id: "another client" }, typeUrl: typeUrls.endpoint, resourceNames: [cluster] })),
  )
  expect([...hub.sessions].map((session) => session.client.id)).toEqual([id])
  expect(client.failures).toEqual([])
})

test("nothing is kept of the extensions that a client was built with", () => {
  const { hub, client } = setUp()
  client.say(request({ typeUrl: typeUrls.cluster }))
  const [session] = [...hub.sessions]
  expect(JSON.stringify([session!.client, session!.asked]).length).toBeLessThan(1_000)
})
