import type { ConfigMap, Node, Service } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { kubeNode, kubeService } from "../../testing/kube-objects.ts"
import { registryFixture } from "../../testing/registry-fixture.ts"

const label = "topology.istio.io/network"
const news = "config: the gateways between networks changed"

function gate(name: string, ips: readonly string[], labels: Readonly<Record<string, string>> = { [label]: "east" }): Service {
  const service = kubeService(
    `net/${name}`,
    {
      type: "LoadBalancer",
      ports: [
        { name: "tls", port: 15_443 },
        { name: "other", port: 443 },
      ],
    },
    { labels },
  )
  return { ...service, status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } } }
}

function atNodes(selector: string): Service {
  const annotations = { "traffic.istio.io/nodeSelector": selector }
  const ports = [{ name: "tls", port: 15_443, nodePort: 30_443 }]
  return kubeService("net/nodes", { type: "NodePort", ports }, { labels: { [label]: "nodes" }, annotations })
}

function node(name: string, ip: string, labels: Readonly<Record<string, string>> = { edge: "yes" }): Node {
  return {
    ...kubeNode(name, labels),
    status: {
      addresses: [
        { type: "InternalIP", address: "10.0.0.1" },
        { type: "ExternalIP", address: ip },
      ],
    },
  }
}

function mesh(gateways: readonly object[]): ConfigMap {
  const text = JSON.stringify({ networks: { far: { gateways } } })
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "istio-system", name: "istio" }, data: { meshNetworks: text } }
}

test("gateways over a script of changes: each relevant change notifies once, and the others do not", async () => {
  await using f = await registryFixture({
    meshNetworks: { configMap: { name: "istio-system/istio" } },
    objects: [node("n1", "203.0.113.1"), node("n2", "203.0.113.2", {})],
  })
  f.told()
  const all = () => f.registry.networkGateways().map(({ network, address, port }) => `${network} ${address}:${port}`)
  const steps: readonly (readonly [what: string, change: () => Promise<void>, count: number, told: boolean])[] = [
    ["a labelled service", () => f.put(gate("east", ["1.1.1.1", "1.1.1.2"])), 2, true],
    ["one without the label", () => f.put(gate("plain", ["9.9.9.9"], {})), 2, false],
    [
      "one that has not the port that it names",
      () => f.put(gate("odd", ["9.9.9.8"], { [label]: "east", "networking.istio.io/gatewayPort": "15008" })),
      2,
      false,
    ],
    [
      "its label names a port that it has",
      () => f.put(gate("odd", ["9.9.9.8"], { [label]: "east", "networking.istio.io/gatewayPort": "443" })),
      3,
      true,
    ],
    ["one at the addresses of nodes", () => f.put(atNodes('{"edge":"yes"}')), 4, true],
    ["another node that is selected", () => f.put(node("n3", "203.0.113.3")), 5, true],
    ["a node gets the label", () => f.put(node("n2", "203.0.113.2")), 6, true],
    ["a node says that it lives", () => f.put(node("n2", "203.0.113.2")), 6, false],
    ["a selector that cannot be read", () => f.put(atNodes("{edge")), 3, true],
    [
      "the mesh names an address and a service",
      () =>
        f.put(
          mesh([
            { address: "5.5.5.5", port: 80 },
            { registryServiceName: "plain.net.svc.cluster.local", port: 443 },
          ]),
        ),
      5,
      true,
    ],
    ["the mesh names none", () => f.put(mesh([])), 3, true],
    ["an address less", () => f.put(gate("east", ["1.1.1.1"])), 2, true],
    ["services that go", () => f.remove(gate("east", []), gate("odd", [])), 0, true],
  ]
  for (const [what, change, count, told] of steps) {
    await change()
    expect({
      what,
      count: all().length,
      told: f.told().some((line) => line === news || line === "config: the mesh networks changed"),
    }).toEqual({ what, count, told })
  }
})

test("a gateway says its network, its cluster, its address and its port", async () => {
  await using f = await registryFixture({ cluster: "one", objects: [gate("east", ["1.1.1.1"])] })
  expect(f.registry.networkGateways()).toEqual([{ network: "east", cluster: "one", address: "1.1.1.1", port: 15_443 }])
})
