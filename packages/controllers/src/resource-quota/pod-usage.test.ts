import { formatResources, quotaUsage } from "@pilothouse/api"
import { type Pod, type PodSpec, pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"

type Amounts = Readonly<Record<string, string>>

const now = Date.parse("2026-01-05T09:00:00Z")
const one = { "count/pods": "1", pods: "1" }
const both = (name: string, amount: string) => ({ [name]: amount, [`requests.${name}`]: amount })

/** A container that asks for so much, and may have so much. */
const asks = (requests: Amounts, limits: Amounts = {}) => ({ name: "c", image: "example/c:1", resources: { requests, limits } })
const always = { restartPolicy: "Always" as const }

function pod(spec: Partial<PodSpec>, more: Partial<Pod> = {}): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, ...more, spec: { containers: [asks({})], ...spec } }
}

/** Told to go at nine less a minute, with so many seconds of grace. */
const deleted = (deletionGracePeriodSeconds: number) => ({
  metadata: { name: "p", deletionTimestamp: "2026-01-05T08:59:00Z", deletionGracePeriodSeconds },
})

const rows: readonly (readonly [string, Pod, Amounts])[] = [
  ...(["initContainers", "containers"] as const).flatMap((where): (readonly [string, Pod, Amounts])[] => {
    const kind = where === "containers" ? "container" : "init container"
    const has = (requests: Amounts, limits?: Amounts) => pod({ [where]: [asks(requests, limits)] })
    return [
      [`${kind} CPU`, has({ cpu: "300m" }, { cpu: "700m" }), { ...one, ...both("cpu", "300m"), "limits.cpu": "700m" }],
      [`${kind} MEM`, has({ memory: "3Mi" }, { memory: "7Mi" }), { ...one, ...both("memory", "3Mi"), "limits.memory": "7Mi" }],
      [
        `${kind} local ephemeral storage`,
        has({ "ephemeral-storage": "3Mi" }, { "ephemeral-storage": "7Mi" }),
        { ...one, ...both("ephemeral-storage", "3Mi"), "limits.ephemeral-storage": "7Mi" },
      ],
      [`${kind} hugepages`, has({ "hugepages-1Gi": "2Gi" }, { "hugepages-1Gi": "2Gi" }), { ...one, ...both("hugepages-1Gi", "2Gi") }],
      [
        `${kind} extended resources`,
        has({ "example.com/card": "3" }, { "example.com/card": "3" }),
        { ...one, "requests.example.com/card": "3" },
      ],
      [
        `${kind} implicit extended resources`,
        has({ "deviceclass.resource.kubernetes.io/card": "3" }),
        { ...one, "requests.deviceclass.resource.kubernetes.io/card": "3" },
      ],
    ]
  }),
  [
    "terminated generic count still appears",
    pod({ containers: [asks({ cpu: "1" })] }, { status: { phase: "Failed" } }),
    { "count/pods": "1" },
  ],
  [
    "init container maximums override sum of containers",
    pod({
      initContainers: [
        asks({ cpu: "4", memory: "1Mi" }, { cpu: "5", memory: "2Mi" }),
        asks({ cpu: "1", memory: "9Mi" }, { cpu: "1", memory: "9Mi" }),
      ],
      containers: [
        asks({ cpu: "1", memory: "3Mi" }, { cpu: "2", memory: "3Mi" }),
        asks({ cpu: "2", memory: "2Mi" }, { cpu: "2", memory: "4Mi" }),
      ],
    }),
    { ...one, ...both("cpu", "4"), ...both("memory", "9Mi"), "limits.cpu": "5", "limits.memory": "9Mi" },
  ],
  [
    "a sidecar counts beside the containers, and beside the init containers after it",
    pod({ initContainers: [{ ...asks({ cpu: "1" }), ...always }, asks({ cpu: "5" })], containers: [asks({ cpu: "2" })] }),
    { ...one, ...both("cpu", "6") },
  ],
  ["pod deletion timestamp exceeded", pod({ containers: [asks({ cpu: "1" })] }, deleted(59)), { "count/pods": "1" }],
  ["pod deletion timestamp not exceeded", pod({ containers: [asks({ cpu: "1" })] }, deleted(61)), { ...one, ...both("cpu", "1") }],
  [
    "count pod overhead as usage",
    pod({ containers: [asks({ cpu: "1" }, { cpu: "2" })], overhead: { cpu: "250m", memory: "5Mi" } }),
    // Overhead is part of a limit only where there is one.
    { ...one, ...both("cpu", "1250m"), ...both("memory", "5Mi"), "limits.cpu": "2250m" },
  ],
  [
    "pod-level CPU",
    pod({ containers: [asks({ cpu: "1" }, { cpu: "2" })], resources: { requests: { cpu: "3" }, limits: { cpu: "4" } } }),
    { ...one, ...both("cpu", "3"), "limits.cpu": "4" },
  ],
  [
    "pod-level Memory",
    pod({
      containers: [asks({ memory: "1Mi" }, { memory: "2Mi" })],
      resources: { requests: { memory: "3Mi" }, limits: { memory: "4Mi" } },
    }),
    { ...one, ...both("memory", "3Mi"), "limits.memory": "4Mi" },
  ],
  [
    "pod-level memory with container-level ephemeral storage",
    pod({
      containers: [asks({ "ephemeral-storage": "5Mi" }, { "ephemeral-storage": "6Mi" })],
      resources: { requests: { memory: "3Mi" }, limits: { memory: "4Mi" } },
    }),
    {
      ...one,
      ...both("memory", "3Mi"),
      ...both("ephemeral-storage", "5Mi"),
      "limits.memory": "4Mi",
      "limits.ephemeral-storage": "6Mi",
    },
  ],
]

describe("PodEvaluatorUsage", () => {
  test.each(rows)("%s", (_name, object, expected) => {
    expect(formatResources(quotaUsage(pods, object, now))).toEqual(expected)
  })
})
