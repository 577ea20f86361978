import { deepFreeze } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { expect, test } from "vitest"
import { kubePod } from "../../testing/kube-objects.ts"
import { podAddresses } from "../convert/endpoint.ts"
import { sharing } from "../convert/sharing.ts"
import { strippedNode, strippedPod, strippedSlice } from "./stripped.ts"

const containers = [
  {
    name: "main",
    image: "web:1",
    env: [{ name: "A", value: "1" }],
    ports: [{ name: "http", containerPort: 80 }],
    livenessProbe: { httpGet: { port: 80 } },
  },
]
const full = (): Pod => {
  const pod = kubePod("shop/web-1", {
    labels: { app: "web" },
    annotations: { a: "1", "kubectl.kubernetes.io/last-applied-configuration": "long" },
    spec: { containers, volumes: [{ name: "v" }] },
  })
  return {
    ...pod,
    status: {
      ...pod.status,
      hostIP: "192.168.0.1",
      conditions: [
        { type: "Ready", status: "True" },
        { type: "Initialized", status: "True" },
      ],
    },
  }
}

test("a pod from the wire keeps what the registry reads, and nothing else", () => {
  const { metadata, spec, status } = strippedPod(full())
  expect([metadata.labels, metadata.annotations]).toEqual([{ app: "web" }, { a: "1" }])
  expect(spec).toEqual({
    nodeName: "node-1",
    serviceAccountName: "default",
    containers: [{ name: "main", ports: [{ name: "http", containerPort: 80 }], livenessProbe: { httpGet: { port: 80 } } }],
  })
  expect(status).toEqual({
    phase: "Running",
    podIP: "10.0.0.1",
    conditions: [{ type: "Ready", status: "True" }],
  })
})

test.each([
  ["one address, said twice", "10.0.0.1", ["10.0.0.1"], undefined],
  ["two", "10.0.0.1", ["10.0.0.1", "fd00::1"], [{ ip: "10.0.0.1" }, { ip: "fd00::1" }]],
  ["another than the first", "10.0.0.1", ["10.0.0.2"], [{ ip: "10.0.0.2" }]],
  ["none", undefined, undefined, undefined],
])("addresses of a pod: %s", (_, podIP, all, kept) => {
  const pod: Pod = { ...full(), status: { podIP, podIPs: all?.map((ip) => ({ ip })) } }
  expect(strippedPod(pod).status?.podIPs).toEqual(kept)
  expect(podAddresses(strippedPod(pod))).toEqual(podAddresses(pod))
})

test("stripping twice is stripping once", () => expect(strippedPod(strippedPod(full()))).toEqual(strippedPod(full())))

test("a node from the wire keeps its labels and addresses", () => {
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels: { zone: "z" }, annotations: { big: "x" } },
    status: { addresses: [{ type: "ExternalIP", address: "203.0.113.1" }], images: [{ names: ["a"] }] },
  }
  expect(strippedNode(node)).toEqual({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels: { zone: "z" } },
    status: { addresses: [{ type: "ExternalIP", address: "203.0.113.1" }] },
  })
})

test("what is shared with a server in this process stays the same object", () => {
  const pod = deepFreeze(full())
  expect(strippedPod(pod)).toBe(pod)
})

test("what pods of one owner have in common is kept once", () => {
  const share = sharing()
  const [one, other] = [strippedPod(full(), share), strippedPod(full(), share)]
  expect(other).toEqual(one)
  expect(other.spec?.containers).toBe(one.spec?.containers)
  expect(other.metadata.labels).toBe(one.metadata.labels)
  const elsewhere = strippedPod({ ...full(), metadata: { ...full().metadata, labels: { app: "db" } } }, share)
  expect(elsewhere.metadata.labels).toEqual({ app: "db" })
})

test("pods of one owner in three zones take turns: each kind of labels is kept once", () => {
  const share = sharing()
  const inZone = (zone: string) => strippedPod({ ...full(), metadata: { ...full().metadata, labels: { app: "web", zone } } }, share)
  const made = ["a", "b", "c", "a", "b", "c"].map(inZone)
  expect(made.map(({ metadata }) => metadata.labels?.zone)).toEqual(["a", "b", "c", "a", "b", "c"])
  expect(new Set(made.map(({ metadata }) => metadata.labels)).size).toBe(3)
})

test("only the last values are remembered", () => {
  const share = sharing()
  const first = share("labels", { n: 0 })
  for (let n = 1; n <= 8; n++) share("labels", { n })
  expect(share("labels", { n: 0 })).not.toBe(first)
})

test("a slice from the wire keeps addresses, conditions, node and the name of the pod", () => {
  const endpoint = { addresses: ["10.0.0.1"], conditions: { ready: true }, nodeName: "node-1" }
  const slice: EndpointSlice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "web-1", namespace: "shop", resourceVersion: "7" },
    addressType: "IPv4",
    ports: [{ name: "http", port: 80 }],
    endpoints: [{ ...endpoint, zone: "a", targetRef: { kind: "Pod", namespace: "shop", name: "web-1", uid: "u" } }],
  }
  const { metadata, endpoints } = strippedSlice(slice)
  expect(metadata).toMatchObject({ name: "web-1", resourceVersion: "7" })
  expect(endpoints).toEqual([{ ...endpoint, targetRef: { kind: "Pod", namespace: "shop", name: "web-1" } }])
})
