import { deepFreeze } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { kubePod } from "../test-support/kube-objects.ts"
import { strippedNode, strippedPod } from "./stripped.ts"

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
    podIPs: [{ ip: "10.0.0.1" }],
    conditions: [{ type: "Ready", status: "True" }],
  })
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
