import { describe, expect, test } from "vitest"
import type { Container, Pod } from "../generated/core/v1.types.ts"
import { formatResources, type ResourceList } from "../quantity/resource-list.ts"
import { podQosClass } from "./pod-qos.ts"
import { podLimits, podRequests } from "./pod-resources.ts"

type Spec = NonNullable<Pod["spec"]>
const asks = (requests: ResourceList, more: Partial<Container> = {}): Container => ({ name: "c", resources: { requests }, ...more })
const sidecar = { restartPolicy: "Always" } as const
const pod = (spec: Partial<Spec>, status: Pod["status"] = {}) => ({ spec: { containers: [], ...spec }, status })
const both = (list: ResourceList): Container => ({ name: "c", resources: { requests: list, limits: list } })

describe("requests", () => {
  test.each<[string, Partial<Spec>, ResourceList]>([
    ["containers add up", { containers: [asks({ cpu: "100m", memory: "1Mi" }), asks({ cpu: "900m" })] }, { cpu: "1", memory: "1Mi" }],
    ["nothing asked", { containers: [{ name: "c" }] }, {}],
    [
      "a greater init container counts alone",
      { containers: [asks({ cpu: "1" })], initContainers: [asks({ cpu: "3" }), asks({ cpu: "2" })] },
      { cpu: "3" },
    ],
    ["a smaller one does not", { containers: [asks({ cpu: "4" })], initContainers: [asks({ cpu: "3" })] }, { cpu: "4" }],
    [
      "a sidecar runs beside the containers",
      { containers: [asks({ cpu: "1" })], initContainers: [asks({ cpu: "2" }, sidecar)] },
      { cpu: "3" },
    ],
    [
      "an init container runs beside the sidecars before it",
      { containers: [asks({ cpu: "1" })], initContainers: [asks({ cpu: "2" }, sidecar), asks({ cpu: "5" })] },
      { cpu: "7" },
    ],
    [
      "not beside those after it",
      { containers: [asks({ cpu: "1" })], initContainers: [asks({ cpu: "5" }), asks({ cpu: "2" }, sidecar)] },
      { cpu: "5" },
    ],
    ["overhead is added", { containers: [asks({ cpu: "1" })], overhead: { cpu: "250m", memory: "1Mi" } }, { cpu: "1250m", memory: "1Mi" }],
    [
      "amounts for the pod take the place of the containers'",
      {
        containers: [asks({ cpu: "1", memory: "1Gi", "example.com/gpu": "1" })],
        resources: { requests: { cpu: "3", "example.com/gpu": "9" } },
        overhead: { cpu: "1" },
      },
      { cpu: "4", memory: "1Gi", "example.com/gpu": "1" },
    ],
  ])("%s", (_, spec, requests) => {
    expect(formatResources(podRequests(pod(spec)))).toEqual(requests)
  })

  const resized = (reason: string) =>
    pod(
      { containers: [{ ...asks({ cpu: "3" }), name: "a" }] },
      {
        conditions: [{ type: "PodResizePending", status: "True", reason }],
        containerStatuses: [
          {
            name: "a",
            image: "",
            imageID: "",
            ready: true,
            restartCount: 0,
            allocatedResources: { cpu: "2" },
            resources: { requests: { cpu: "1" } },
          },
        ],
      },
    )
  test("during a resize the most of what is asked, set aside and used counts", () => {
    expect(formatResources(podRequests(resized("Deferred"), { withStatus: true }))).toEqual({ cpu: "3" })
    expect(formatResources(podRequests(resized("Infeasible"), { withStatus: true }))).toEqual({ cpu: "2" })
    expect(formatResources(podRequests(resized("Infeasible")))).toEqual({ cpu: "3" })
  })
})

test("overhead is added to limits that there are", () => {
  const containers: Container[] = [{ name: "c", resources: { limits: { cpu: "1", gpu: "0" } } }]
  const limits = podLimits(pod({ containers, overhead: { cpu: "1", memory: "1Mi", gpu: "1" } }))
  expect(formatResources(limits)).toEqual({ cpu: "2", gpu: "0" })
})

describe("quality of service", () => {
  const full = { cpu: "1", memory: "1Gi" }
  test.each<[string, Partial<Spec>, string]>([
    ["nothing asked", { containers: [{ name: "c" }] }, "BestEffort"],
    ["zero asked", { containers: [asks({ cpu: "0" })] }, "BestEffort"],
    ["only other resources", { containers: [asks({ "example.com/gpu": "1" })] }, "BestEffort"],
    ["requests only", { containers: [asks(full)] }, "Burstable"],
    ["limits equal requests", { containers: [both(full)] }, "Guaranteed"],
    [
      "however they are written",
      { containers: [{ name: "c", resources: { requests: full, limits: { cpu: "1000m", memory: "1024Mi" } } }] },
      "Guaranteed",
    ],
    ["only cpu limited", { containers: [both({ cpu: "1" })] }, "Burstable"],
    ["one container without limits", { containers: [both(full), { name: "d" }] }, "Burstable"],
    ["an init container without limits", { containers: [both(full)], initContainers: [{ name: "d" }] }, "Burstable"],
    [
      "limits above requests",
      { containers: [{ name: "c", resources: { requests: full, limits: { cpu: "2", memory: "1Gi" } } }] },
      "Burstable",
    ],
    ["amounts for the pod decide alone", { containers: [{ name: "c" }], resources: { requests: full, limits: full } }, "Guaranteed"],
    ["requests for the pod", { containers: [both(full)], resources: { requests: full } }, "Burstable"],
  ])("%s", (_, spec, qos) => {
    expect(podQosClass(pod(spec))).toBe(qos)
  })
})
