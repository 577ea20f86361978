import type { Pod, Service } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { trafficOf } from "./service-traffic.ts"

const service = (spec: object, status: object = {}): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { app: "web" }, clusterIP: "10.96.0.7", ports: [{ port: 80 }], ...spec },
  status,
})

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", namespace: "default", labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "example/web" }] },
}

const slice: EndpointSlice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "web-1", namespace: "default", labels: { "kubernetes.io/service-name": "web" } },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.0.0.1"] }],
  ports: [{ port: 80 }],
}

async function asked(running: Cluster, spec: object, status?: object): Promise<string> {
  return (await trafficOf(running.client, service(spec, status))).join("\n")
}

describe("who answers", () => {
  test("a selector that matches nothing is said, and where to look", async () => {
    await using running = await cluster({ controllers: [] })
    const text = await asked(running, { selector: { tier: "front", app: "wbe" } })
    expect(text).toContain("its selector app=wbe,tier=front matches no pod in default, so that nothing answers")
    expect(text).toContain("kubectl get pods --show-labels")
  })

  test("where to look for pods names the namespace, unless it is the context's", async () => {
    await using running = await cluster({ controllers: [] })
    const text = (await trafficOf(running.client, service({}), { defaultNamespace: "team" })).join()
    expect(text).toContain('"kubectl get pods --show-labels -n default" shows')
  })

  test("pods that match and are not ready are counted as such", async () => {
    await using running = await cluster({ controllers: [], nodes: 0 })
    await running.apply(pod)
    expect(await asked(running, {})).toBe("none of 1 pods with app=web ready")
  })

  test("ready ones are counted", async () => {
    await using running = await cluster({ controllers: [] })
    await running.apply(pod)
    await running.advance("5s")
    expect(await asked(running, {})).toContain("1 of 1 pods with app=web ready")
  })

  test("without a selector others make the endpoints", async () => {
    await using running = await cluster({ controllers: [], nodes: 0 })
    expect(await asked(running, { selector: undefined })).toContain("it has no selector")
  })

  test("a name outside is only a name", async () => {
    await using running = await cluster({ controllers: [] })
    expect(await asked(running, { type: "ExternalName", externalName: "db.example.com" })).toBe(
      "clients are sent to db.example.com: nothing is forwarded",
    )
  })
})

describe("ways in", () => {
  test("there is no kube-proxy, and cluster IPs are not routed", async () => {
    await using running = await cluster({ controllers: [] })
    expect(await asked(running, {})).toContain("there is no kube-proxy here: its cluster IP 10.96.0.7 is not routed on this machine")
  })

  test("a load balancer is shown with the ports that are really open", async () => {
    await using running = await cluster({ controllers: [] })
    await running.apply(slice)
    const ports = [{ port: 80, protocol: "TCP", error: "pilothouse.dev/PortMappedTo8080" }]
    const text = await asked(running, { type: "LoadBalancer" }, { loadBalancer: { ingress: [{ ip: "127.200.0.1", ports }] } })
    expect(text).toContain("its load balancer at 127.200.0.1:8080/TCP goes straight to ready endpoints")
    expect(await asked(running, { type: "LoadBalancer" })).toContain("its load balancer has no address yet")
  })

  test("says that a load balancer of an unserved class gets no address", async () => {
    await using running = await cluster({ controllers: [] })
    const text = await asked(running, { type: "LoadBalancer", loadBalancerClass: "example.com/lb" })
    expect(text).toContain("its class example.com/lb asks for the balancer of another controller, which does not run here")
    expect(text).toContain("create it again without loadBalancerClass")
    expect(text).not.toContain("yet")
  })

  test("who is let in is said, by the field or by the annotation", async () => {
    await using running = await cluster({ controllers: [] })
    const status = { loadBalancer: { ingress: [{ ip: "127.200.0.1" }] } }
    const open = await asked(running, { type: "LoadBalancer" }, status)
    expect(open).not.toContain("it lets in")
    const told = await asked(running, { type: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8"] }, status)
    expect(told).toContain("it lets in clients from 10.0.0.0/8 alone: the connections of others are closed")
    const annotated = service({ type: "LoadBalancer" }, status)
    const annotations = { "service.beta.kubernetes.io/load-balancer-source-ranges": "10.0.0.0/8, 192.0.2.0/24" }
    const said = await trafficOf(running.client, { ...annotated, metadata: { ...annotated.metadata, annotations } })
    expect(said.join("\n")).toContain("from 10.0.0.0/8, 192.0.2.0/24 alone")
  })

  test("of a cluster with real nodes nothing is said of kube-proxy", async () => {
    await using running = await cluster({ controllers: [], nodes: 0 })
    expect(await asked(running, {})).not.toContain("kube-proxy")
  })
})
