import type { Pod, Service } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { deadPortLines, livePorts, trafficOf } from "./service-traffic.ts"

type Ports = NonNullable<NonNullable<Service["spec"]>["ports"]>

const service = (ports: Ports, selector?: Record<string, string>): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { ports, selector },
})

const slice = (ports: EndpointSlice["ports"], ready = true): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "web-1", namespace: "default" },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready } }],
  ports,
})

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", namespace: "default", labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "web", ports: [{ name: "dns", containerPort: 53, protocol: "UDP" }] }] },
}

const app = { app: "web" }
const rows: Record<string, { service: Service; slices: readonly EndpointSlice[]; says: readonly string[] }> = {
  "a name that no container gives to a port": {
    service: service([{ port: 8080, targetPort: "nosuch" }], app),
    slices: [slice(undefined)],
    says: ['port 8080 leads nowhere: no pod with app=web has a port named "nosuch"'],
  },
  "a name that is one of another protocol": {
    service: service([{ port: 53, targetPort: "dns" }], app),
    slices: [slice([])],
    says: ['port 53 leads nowhere: no pod with app=web has a port for TCP named "dns"'],
  },
  "nothing of ports that are there": {
    service: service([{ name: "dns", port: 53, protocol: "UDP", targetPort: "dns" }], app),
    slices: [slice([{ name: "dns", port: 53, protocol: "UDP" }])],
    says: [],
  },
  "nothing of a number, which is sent to whether a pod declares it or not": {
    service: service([{ port: 80, targetPort: 9999 }], app),
    slices: [],
    says: [],
  },
  "a port that hand-made slices lack": {
    service: service([
      { name: "http", port: 80 },
      { name: "admin", port: 81 },
    ]),
    slices: [slice([{ name: "http", port: 8080 }])],
    says: ['port 81 leads nowhere: no EndpointSlice with kubernetes.io/service-name=web has a port for TCP named "admin"'],
  },
  "that there are none": {
    service: service([{ port: 80 }]),
    slices: [],
    says: ["nothing answers: no EndpointSlice has the label kubernetes.io/service-name=web"],
  },
}

test.each(Object.entries(rows))("says %s", (_, { service: one, slices, says }) => {
  expect(deadPortLines(one, one.spec?.selector ? [pod] : [], slices)).toEqual(says)
})

test("a port with no endpoint that is ready is not live", () => {
  const one = service([{ port: 80 }])
  expect(livePorts(one, [slice([{ port: 80 }], false)])).toEqual([])
  expect(livePorts(one, [slice([{ port: 80 }])])).toEqual(one.spec?.ports)
})

test("a Service whose targetPort no pod has was said to go straight to ready endpoints, while it closed every connection", async () => {
  await using running = await cluster({ controllers: ["endpointslice"] })
  await running.apply(pod)
  const ports = [
    { name: "lost", port: 8080, targetPort: "nosuch" },
    { name: "found", port: 80, targetPort: 80 },
  ]
  const spec = { type: "LoadBalancer" as const, clusterIP: "10.96.0.7", selector: app, ports }
  await running.apply(service(ports, app))
  await running.advance("5s")
  const asked = { ...service(ports, app), spec, status: { loadBalancer: { ingress: [{ ip: "127.200.0.1" }] } } }
  expect(await trafficOf(running.client, asked)).toEqual([
    "1 of 1 pods with app=web ready",
    'port 8080 leads nowhere: no pod with app=web has a port named "nosuch"',
    "there is no kube-proxy here: its cluster IP 10.96.0.7 is not routed on this machine",
    "its load balancer at 127.200.0.1:80/TCP goes straight to ready endpoints",
    "its load balancer at 127.200.0.1:8080/TCP has no ready endpoint to go to: it closes connections that come",
  ])
})
