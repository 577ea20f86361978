import { expect, test } from "vitest"
import { webPods, webService } from "../service-endpoints/testing/objects.ts"
import { slicesAfter } from "./testing/slices.ts"

test.each([
  ["numbers", {}],
  ["names that all pods have", { targetPort: "web" }],
])("a Service of 9,000 ports with %s takes no more time with 300 pods than with one", (_what, more) => {
  const ports = Array.from({ length: 9000 }, (_, at) => ({ name: `p${at}`, port: at + 1, protocol: "TCP" as const, ...more }))
  const pods = webPods(300).map((pod) => ({
    ...pod,
    spec: { ...pod.spec, containers: [{ name: "c", image: "i", ports: [{ name: "web", containerPort: 80 }] }] },
  }))
  const service = webService({ ports })
  const start = process.cpuUsage()
  const slices = slicesAfter({ service, pods })
  const { user, system } = process.cpuUsage(start)
  expect(slices.map((slice) => [slice.ports?.length, slice.endpoints?.length])).toEqual(Array.from({ length: 3 }, () => [9000, 100]))
  expect((user + system) / 1000).toBeLessThan(500)
})
