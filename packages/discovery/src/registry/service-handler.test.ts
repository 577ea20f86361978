import { silentLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { AggregateRegistry } from "../aggregate/aggregate-registry.ts"
import { appendInstanceHandler } from "../instance-handler.ts"
import type { ServiceInstance } from "../model/instance.ts"
import { kubePod, kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { registryFixture } from "../testing/registry-fixture.ts"
import type { Registry } from "./registry.ts"
import { appendServiceHandler } from "./service-handler.ts"

const ports = [
  { name: "http", port: 8080 },
  { name: "admin", port: 9090 },
]
const web = kubeService("shop/web", {
  ports: [
    { name: "http", port: 80 },
    { name: "admin", port: 90 },
  ],
})
const pods = [1, 2].map((n) => kubePod(`shop/web-${n}`, { ip: `10.0.0.${n}` }))
const slice = (...endpoints: readonly { readonly n: number; readonly ready?: boolean }[]) =>
  kubeSlice("shop/web-1", { ports, endpoints: endpoints.map(({ n, ready }) => ({ ip: `10.0.0.${n}`, pod: `web-${n}`, ready })) })

/** Handlers of both kinds, and their notifications since the last time. */
function handled(registry: Registry) {
  const told: string[] = []
  const short = ({ service, servicePort, endpoint }: ServiceInstance) => `${service.name}:${servicePort.port} ${endpoint.addresses[0]}`
  const services = appendServiceHandler(registry, ({ name }, event) => void told.push(`${event} ${name}`))
  const instances = appendInstanceHandler(registry, (instance, event) => void told.push(`${event} ${short(instance)}`))
  return { services, instances, told: () => told.splice(0) }
}

test("initial objects are notified as added once everything was read, also to later handlers", async () => {
  await using f = await registryFixture({ objects: [web, ...pods, slice({ n: 1 })] })
  expect(handled(f.registry).told()).toEqual(["added web", "added web:80 10.0.0.1", "added web:90 10.0.0.1"])
})

test("before everything was read no handler is notified", async () => {
  const all = new AggregateRegistry({ log: silentLog })
  const { told } = handled(all)
  expect(told()).toEqual([])
  const stopping = new AbortController()
  await using f = await registryFixture({ objects: [web, ...pods, slice({ n: 1 })] })
  all.add(f.registry)
  const { told: toldLater } = handled(all)
  expect([told(), toldLater(), all.services().length]).toEqual([[], [], 1])
  f.registry.run = () => Promise.resolve()
  const running = all.run(stopping.signal)
  expect(told()).toEqual(["added web", "added web:80 10.0.0.1", "added web:90 10.0.0.1"])
  stopping.abort()
  await running
})

test("each change notifies of what changed, deletions first; what did not change is not repeated", async () => {
  await using f = await registryFixture({ objects: [web, ...pods, slice({ n: 1 })] })
  const { told } = handled(f.registry)
  told()
  await f.put(slice({ n: 1 }, { n: 2 }))
  expect(told()).toEqual(["added web:80 10.0.0.2", "added web:90 10.0.0.2"])
  await f.put(slice({ n: 1 }))
  told()
  await f.put(slice({ n: 2 }))
  expect(told()).toEqual(["deleted web:80 10.0.0.1", "deleted web:90 10.0.0.1", "added web:80 10.0.0.2", "added web:90 10.0.0.2"])
  await f.put(kubePod("shop/web-2", { ip: "10.0.0.2", labels: { version: "v2" } }))
  expect(told()).toEqual(["updated web:80 10.0.0.2", "updated web:90 10.0.0.2"])
  await f.put(slice({ n: 2, ready: false }))
  expect(told()).toEqual(["deleted web:80 10.0.0.2", "deleted web:90 10.0.0.2"])
  await f.put(kubeService("shop/web", { ...web.spec, clusterIP: "10.96.0.99" }))
  expect(told()).toEqual(["updated web"])
  await f.put(slice({ n: 1 }))
  told()
  await f.remove(web)
  expect(told()).toEqual(["deleted web", "deleted web:80 10.0.0.1", "deleted web:90 10.0.0.1"])
})

test("a disposed handler is not notified any more", async () => {
  await using f = await registryFixture({ objects: [web, ...pods] })
  const { services, instances, told } = handled(f.registry)
  told()
  services[Symbol.dispose]()
  instances[Symbol.dispose]()
  await f.put(slice({ n: 1 }), kubeService("shop/api"))
  expect(told()).toEqual([])
})
