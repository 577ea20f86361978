import type { KubeObject } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { decodeWatchFrames, type PartialProtobuf } from "@pilothouse/api/protobuf"
import { encodeWatchFrame } from "@pilothouse/api/protobuf/testing"
import { expect, test } from "vitest"
import { nodeForm, podForm, sliceForm } from "./read-fields.ts"
import { strippedNode, strippedPod, strippedSlice } from "./stripped.ts"

const metadata = {
  name: "web-0",
  namespace: "default",
  uid: "1",
  resourceVersion: "7",
  creationTimestamp: "2026-01-02T03:04:05Z",
  labels: { app: "web" },
  annotations: { a: "b" },
  ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "2" }],
  managedFields: [{ manager: "kubelet" }],
}
const probe = { httpGet: { path: "/", port: "http" }, periodSeconds: 5 }
const container = { name: "c", image: "web", ports: [{ name: "http", containerPort: 80 }], readinessProbe: probe, livenessProbe: probe }

/** Each with what is kept of it, and something that is not. */
const rows: Record<string, { object: unknown; form: PartialProtobuf | undefined; keep: (object: never) => KubeObject }> = {
  "a pod": {
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      spec: {
        nodeName: "node-1",
        serviceAccountName: "web",
        hostNetwork: true,
        containers: [container],
        initContainers: [{ ...container, restartPolicy: "Always" }],
        tolerations: [{ key: "k" }],
      },
      status: {
        phase: "Running",
        podIP: "10.0.0.1",
        podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
        conditions: [{ type: "Ready", status: "True" }],
        hostIP: "192.0.2.1",
      },
    } satisfies Partial<Pod>,
    form: podForm(),
    keep: (pod) => strippedPod(pod),
  },
  "a node": {
    object: {
      apiVersion: "v1",
      kind: "Node",
      metadata,
      spec: { podCIDR: "10.0.0.0/24" },
      status: { addresses: [{ type: "ExternalIP", address: "203.0.113.1" }], images: [{ names: ["web"] }] },
    },
    form: nodeForm(),
    keep: (node: Node) => strippedNode(node),
  },
  "a slice": {
    object: {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata,
      addressType: "IPv4",
      ports: [{ name: "http", port: 80, protocol: "TCP", appProtocol: "http" }],
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: "node-1",
          zone: "z",
          targetRef: { kind: "Pod", namespace: "default", name: "web-0", uid: "1" },
        },
        { addresses: ["10.0.0.2"], conditions: {} },
      ],
    },
    form: sliceForm(),
    keep: (slice: EndpointSlice) => strippedSlice(slice),
  },
}

test.each(Object.entries(rows))("of %s as much is read as is kept of the whole", (_, { object, form, keep }) => {
  const frame = encodeWatchFrame({ type: "ADDED", object: object as KubeObject })
  const [whole] = decodeWatchFrames(frame).events
  const [part] = form!.events(frame).events
  expect(keep(part?.object as never)).toEqual(keep(whole?.object as never))
  expect(JSON.stringify(part).length).toBeLessThan(JSON.stringify(whole).length)
})

test.each(Object.entries(rows))("the bookmark after the first state of %s says so", (_, { object, form }) => {
  const { apiVersion, kind } = object as KubeObject
  const annotations = { "k8s.io/initial-events-end": "true" }
  const bookmark = { type: "BOOKMARK", object: { apiVersion, kind, metadata: { resourceVersion: "9", annotations } } }
  expect(form!.events(encodeWatchFrame(bookmark)).events[0]).toMatchObject({ object: { metadata: { resourceVersion: "9", annotations } } })
})
