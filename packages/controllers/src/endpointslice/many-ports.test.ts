import { expect, test } from "vitest"
import { webPods, webService } from "../service-endpoints/testing/objects.ts"
import { slicesAfter } from "./testing/slices.ts"

const count = 9000

test.each([
  ["numbers", {}],
  ["names that all pods have", { targetPort: "web" }],
])("the %s of 9,000 ports are read as often for 300 pods as for one", (_what, more) => {
  let reads = 0
  const ports = Array.from({ length: count }, (_, at) => ({
    name: `p${at}`,
    get port() {
      reads++
      return at + 1
    },
    protocol: "TCP" as const,
    ...more,
  }))
  const pods = webPods(300).map((pod) => ({
    ...pod,
    spec: { ...pod.spec, containers: [{ name: "c", image: "i", ports: [{ name: "web", containerPort: 80 }] }] },
  }))
  const service = webService({ ports })
  slicesAfter({ service, pods: pods.slice(0, 1) })
  const readsOfOne = reads
  reads = 0
  const slices = slicesAfter({ service, pods })
  expect(slices.map((slice) => [slice.ports?.length, slice.endpoints?.length])).toEqual(Array.from({ length: 3 }, () => [count, 100]))
  expect(readsOfOne).toBeGreaterThan(0)
  expect(reads).toBe(readsOfOne)
})
