import { parseQuantity } from "@pilothouse/api"
import type { Device, DeviceClass, ResourceClaim, ResourceSlice } from "@pilothouse/api/resource/v1"
import { DeviceSelectors } from "@pilothouse/cel/kubernetes"
import { describe, expect, test } from "vitest"
import { testNode } from "../testing/objects.ts"
import { allocate } from "./allocate.ts"
import type { Capacities } from "./capacity.ts"
import { newestSlices, poolsFor } from "./pools.ts"
import { SearchBudget } from "./search-budget.ts"
import { cel, claim, deviceClass, devices, driver, request, slice } from "./testing/devices.ts"

const selectors = new DeviceSelectors()
const node = testNode("node-1", { labels: { zone: "a" } })

const selects: ConstructorParameters<typeof SearchBudget>[0] = (expression, { device, slice: of }, spend) =>
  selectors.of(expression).matches({ driver: of.spec.driver, ...device }, spend)

interface Case {
  readonly claims: readonly ResourceClaim[]
  readonly slices: readonly ResourceSlice[]
  readonly taken?: readonly string[]
  readonly shares?: Readonly<Record<string, readonly Capacities[]>>
  readonly classes?: readonly DeviceClass[]
}

function allocated({ claims, slices, taken = [], shares = {}, classes = [deviceClass()] }: Case) {
  return allocate({
    node,
    pools: poolsFor(node, newestSlices(slices)),
    claims,
    inUse: { isTaken: (id) => taken.includes(id), shares: (id) => shares[id] ?? [] },
    classOf: (name) => classes.find(({ metadata }) => metadata.name === name),
    budget: new SearchBudget(selects),
  })
}

/** "gpu-0 for gpu, gpu-1 for gpu" of each claim; "none" where nothing was found. */
function words(given: Case): readonly string[] | "none" {
  const found = allocated(given)
  return found?.map(({ devices: got }) => (got?.results ?? []).map((one) => `${one.device} for ${one.request}`).join(", ")) ?? "none"
}

const own = (...names: readonly string[]) => slice("node-1", devices(...names))
const gpu = (name: string, attributes: NonNullable<Device["attributes"]> = {}, more: Partial<Device> = {}): Device => ({
  name,
  attributes,
  ...more,
})
const one = claim("one", [request("gpu")])
const [bigOrTwo] = [
  claim("choice", [
    {
      name: "gpu",
      firstAvailable: [
        {
          name: "big",
          deviceClassName: driver,
          allocationMode: "ExactCount",
          count: 1,
          ...cel(`device.attributes["${driver}"].size == "big"`),
        },
        {
          name: "two",
          deviceClassName: driver,
          allocationMode: "ExactCount",
          count: 2,
          ...cel(`device.attributes["${driver}"].size == "small"`),
        },
      ],
    },
  ]),
]
const small = { size: { string: "small" } }
const inZone = (zone: string) => ({ nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In" as const, values: [zone] }] }] })
const numa = (name: string, int: number) => gpu(name, { numa: { int } })
const tainted = (effect: "NoSchedule" | "NoExecute" | "None") =>
  slice("node-1", [gpu("gpu-0", {}, { taints: [{ key: "broken", value: "yes", effect }] })])

const rows: readonly (readonly [name: string, given: Case, expected: readonly string[] | "none"])[] = [
  ["no devices", { claims: [one], slices: [] }, "none"],
  ["one device", { claims: [one], slices: [own("gpu-0")] }, ["gpu-0 for gpu"]],
  [
    "the first by name of its slice",
    {
      claims: [one],
      slices: [
        slice("node-1", devices("b"), { pool: { name: "node-1", generation: 1, resourceSliceCount: 2 } }),
        slice("node-1", devices("a"), { pool: { name: "node-1", generation: 1, resourceSliceCount: 2 } }),
      ],
    },
    ["a for gpu"],
  ],
  ["devices of another node", { claims: [one], slices: [slice("node-2", devices("gpu-0"))] }, "none"],
  ["devices of all nodes", { claims: [one], slices: [slice("net", devices("gpu-0"), { allNodes: true })] }, ["gpu-0 for gpu"]],
  [
    "devices by node selector",
    { claims: [one], slices: [slice("net", devices("gpu-0"), { nodeSelector: inZone("a") })] },
    ["gpu-0 for gpu"],
  ],
  ["devices of another zone", { claims: [one], slices: [slice("net", devices("gpu-0"), { nodeSelector: inZone("b") })] }, "none"],
  [
    "each device says which nodes it is for",
    {
      claims: [one],
      slices: [
        slice("net", [gpu("far", {}, { nodeName: "node-2" }), gpu("near", {}, { nodeName: "node-1" })], { perDeviceNodeSelection: true }),
      ],
    },
    ["near for gpu"],
  ],
  ["a device in use", { claims: [one], slices: [own("gpu-0")], taken: [`${driver}/node-1/gpu-0`] }, "none"],
  ["the next one", { claims: [one], slices: [own("gpu-0", "gpu-1")], taken: [`${driver}/node-1/gpu-0`] }, ["gpu-1 for gpu"]],
  [
    "administrators look at a device in use",
    { claims: [claim("admin", [request("gpu", { adminAccess: true })])], slices: [own("gpu-0")], taken: [`${driver}/node-1/gpu-0`] },
    ["gpu-0 for gpu"],
  ],
  [
    "but once in a claim",
    { claims: [claim("admin", [request("a", { adminAccess: true }), request("b", { adminAccess: true })])], slices: [own("gpu-0")] },
    "none",
  ],
  ["two claims never share one", { claims: [one, claim("two", [request("gpu")])], slices: [own("gpu-0")] }, "none"],
  ["two claims", { claims: [one, claim("two", [request("gpu")])], slices: [own("gpu-0", "gpu-1")] }, ["gpu-0 for gpu", "gpu-1 for gpu"]],
  [
    "two of one request",
    { claims: [claim("two", [request("gpu", { count: 2 })])], slices: [own("a", "b", "c")] },
    ["a for gpu, b for gpu"],
  ],
  [
    "all of them",
    { claims: [claim("all", [request("gpu", { allocationMode: "All" })])], slices: [own("a", "b", "c")] },
    ["a for gpu, b for gpu, c for gpu"],
  ],
  ["all, and there is none", { claims: [claim("all", [request("gpu", { allocationMode: "All" })])], slices: [] }, "none"],
  [
    "all, and one is in use",
    { claims: [claim("all", [request("gpu", { allocationMode: "All" })])], slices: [own("a", "b")], taken: [`${driver}/node-1/a`] },
    "none",
  ],
  [
    "a selector of the request",
    {
      claims: [claim("c", [request("gpu", cel(`device.attributes["${driver}"].numa == 1`))])],
      slices: [slice("node-1", [numa("a", 0), numa("b", 1)])],
    },
    ["b for gpu"],
  ],
  [
    "a selector of the class",
    {
      claims: [one],
      slices: [slice("node-1", [numa("a", 0), numa("b", 1)])],
      classes: [deviceClass(driver, cel(`device.attributes["${driver}"].numa == 1`))],
    },
    ["b for gpu"],
  ],
  [
    "the first alternative",
    { claims: [bigOrTwo], slices: [slice("node-1", [gpu("a", { size: { string: "big" } }), gpu("b", small), gpu("c", small)])] },
    ["a for gpu/big"],
  ],
  [
    "the second alternative",
    { claims: [bigOrTwo], slices: [slice("node-1", [gpu("b", small), gpu("c", small)])] },
    ["b for gpu/two, c for gpu/two"],
  ],
  [
    "one that leads nowhere is undone",
    {
      claims: [claim("pair", [request("any"), request("zero", cel(`device.attributes["${driver}"].numa == 0`))])],
      slices: [slice("node-1", [numa("a", 0), numa("b", 1)])],
    },
    ["b for any, a for zero"],
  ],
  [
    "matchAttribute",
    {
      claims: [claim("pair", [request("gpu", { count: 2 })], { constraints: [{ matchAttribute: `${driver}/numa` }] })],
      slices: [slice("node-1", [numa("a", 0), numa("b", 1), numa("c", 1)])],
    },
    ["b for gpu, c for gpu"],
  ],
  [
    "matchAttribute that a device lacks",
    { claims: [claim("pair", [request("gpu")], { constraints: [{ matchAttribute: `${driver}/numa` }] })], slices: [own("a")] },
    "none",
  ],
  [
    "distinctAttribute",
    {
      claims: [claim("pair", [request("gpu", { count: 2 })], { constraints: [{ distinctAttribute: `${driver}/numa` }] })],
      slices: [slice("node-1", [numa("a", 0), numa("b", 0), numa("c", 1)])],
    },
    ["a for gpu, c for gpu"],
  ],
  [
    "a constraint of one request only",
    {
      claims: [claim("pair", [request("gpu"), request("nic")], { constraints: [{ requests: ["nic"], matchAttribute: `${driver}/numa` }] })],
      slices: [slice("node-1", [gpu("a"), numa("b", 0)])],
    },
    ["a for gpu, b for nic"],
  ],
  ["a taint", { claims: [one], slices: [tainted("NoSchedule")] }, "none"],
  ["a taint that stops pods too", { claims: [one], slices: [tainted("NoExecute")] }, "none"],
  ["a taint without effect", { claims: [one], slices: [tainted("None")] }, ["gpu-0 for gpu"]],
  [
    "a taint that is tolerated",
    { claims: [claim("c", [request("gpu", { tolerations: [{ key: "broken", operator: "Exists" }] })])], slices: [tainted("NoSchedule")] },
    ["gpu-0 for gpu"],
  ],
  [
    "another value of the taint",
    { claims: [claim("c", [request("gpu", { tolerations: [{ key: "broken", value: "no" }] })])], slices: [tainted("NoSchedule")] },
    "none",
  ],
  [
    "an older generation",
    {
      claims: [one],
      slices: [own("old"), slice("node-1", devices("new"), { pool: { name: "node-1", generation: 2, resourceSliceCount: 1 } })],
    },
    ["new for gpu"],
  ],
  [
    "a pool of which slices are missing",
    { claims: [one], slices: [slice("node-1", devices("a"), { pool: { name: "node-1", generation: 1, resourceSliceCount: 2 } })] },
    "none",
  ],
  ["two devices of one name", { claims: [one], slices: [own("a", "a")] }, "none"],
  [
    "devices that have to be made ready first",
    { claims: [one], slices: [slice("node-1", [gpu("a", {}, { bindingConditions: ["ready"] }), gpu("b")])] },
    ["b for gpu"],
  ],
]

test.each(rows)("%s", (_name, given, expected) => {
  expect(words(given)).toEqual(expected)
})

describe("devices of which several may have a part", () => {
  const shared = slice("node-1", [
    gpu(
      "a",
      {},
      {
        allowMultipleAllocations: true,
        capacity: { memory: { value: "10Gi", requestPolicy: { default: "1Gi", validRange: { min: "1Gi", step: "1Gi" } } } },
      },
    ),
  ])
  const asks = (memory: string, name = "c") => claim(name, [request("gpu", { capacity: { requests: { memory } } })])

  test("each share is counted, rounded up, and has an id of its own", () => {
    const two = allocated({ claims: [asks("2500Mi"), claim("d", [request("y")])], slices: [shared] })
    expect(two?.map(({ devices: got }) => got?.results?.[0])).toEqual([
      expect.objectContaining({ device: "a", consumedCapacity: { memory: "3Gi" }, shareID: expect.stringMatching(/^00000001-/) }),
      expect.objectContaining({ device: "a", consumedCapacity: { memory: "1Gi" }, shareID: expect.stringMatching(/^00000002-/) }),
    ])
  })

  test("what is used already counts", () => {
    const shares = { [`${driver}/node-1/a`]: [new Map([["memory", parseQuantity("8Gi")]])] }
    expect(words({ claims: [asks("2Gi")], slices: [shared], shares })).toEqual(["a for gpu"])
    expect(words({ claims: [asks("3Gi")], slices: [shared], shares })).toBe("none")
  })

  test("a capacity that the device has not", () => {
    expect(words({ claims: [claim("c", [request("gpu", { capacity: { requests: { cores: "1" } } })])], slices: [shared] })).toBe("none")
  })
})

describe("devices that draw on shared counters", () => {
  const part = (name: string, memory: string): Device => ({
    name,
    consumesCounters: [{ counterSet: "gpu", counters: { memory: { value: memory } } }],
  })
  const pool = { name: "node-1", generation: 1, resourceSliceCount: 2 }
  const counters: ResourceSlice = {
    ...slice("node-1", [], { pool, sharedCounters: [{ name: "gpu", counters: { memory: { value: "40Gi" } } }] }),
    metadata: { name: "counters" },
  }
  const parts = slice("node-1", [part("whole", "40Gi"), part("half-0", "20Gi"), part("half-1", "20Gi")], { pool })
  const two = claim("two", [request("a"), request("b")])

  test("the whole, or both halves", () => {
    expect(words({ claims: [one], slices: [counters, parts] })).toEqual(["whole for gpu"])
    expect(words({ claims: [two], slices: [counters, parts] })).toEqual(["half-0 for a, half-1 for b"])
  })

  test("what is in use has drawn already", () => {
    const taken = [`${driver}/node-1/half-0`]
    expect(words({ claims: [one], slices: [counters, parts], taken })).toEqual(["half-1 for gpu"])
    expect(words({ claims: [two], slices: [counters, parts], taken })).toBe("none")
  })

  test("a counter that is not there makes the pool unusable", () => {
    const wrong = slice("node-1", [{ name: "x", consumesCounters: [{ counterSet: "none", counters: { memory: { value: "1" } } }] }], {
      pool: { ...pool, resourceSliceCount: 1 },
    })
    expect(words({ claims: [one], slices: [wrong] })).toBe("none")
  })
})

describe("what the status says", () => {
  test("the node of a local device", () => {
    expect(allocated({ claims: [one], slices: [own("a")] })?.[0]?.nodeSelector).toEqual({
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-1"] }] }],
    })
  })

  test("the selectors of others, each once", () => {
    const [got] =
      allocated({
        claims: [claim("c", [request("gpu", { count: 2 })])],
        slices: [slice("net", devices("a", "b"), { nodeSelector: inZone("a") })],
      }) ?? []
    expect(got?.nodeSelector).toEqual(inZone("a"))
  })

  test("nothing for devices of all nodes", () => {
    expect(allocated({ claims: [one], slices: [slice("net", devices("a"), { allNodes: true })] })?.[0]).not.toHaveProperty("nodeSelector")
  })

  test("configurations of the class first, then those of the claim that concern it, and tolerations", () => {
    const opaque = (value: string) => ({ opaque: { driver, parameters: { value } } })
    const tolerations = [{ key: "broken", operator: "Exists" as const }]
    const configured = claim("c", [request("a", { tolerations }), request("b")], {
      config: [opaque("all"), { requests: ["b"], ...opaque("b") }, { requests: ["other"], ...opaque("other") }],
    })
    const [got] =
      allocated({ claims: [configured], slices: [own("x", "y")], classes: [deviceClass(driver, { config: [opaque("class")] })] }) ?? []
    expect(got?.devices?.config).toEqual([
      { source: "FromClass", requests: ["a", "b"], ...opaque("class") },
      { source: "FromClaim", ...opaque("all") },
      { source: "FromClaim", requests: ["b"], ...opaque("b") },
    ])
    expect(got?.devices?.results?.map((result) => result.tolerations)).toEqual([tolerations, undefined])
  })
})

describe("what is wrong with a claim or class", () => {
  test.each<[string, Case, string]>([
    [
      "a class that is not there",
      { claims: [one], slices: [own("a")], classes: [] },
      "request gpu: device class gpu.example.com does not exist",
    ],
    [
      "more than a claim can have",
      { claims: [claim("c", [request("gpu", { count: 33 })])], slices: [own("a")] },
      "claim default/c: number of requested devices 33 exceeds the claim limit of 32",
    ],
    [
      "an expression that fails",
      { claims: [claim("c", [request("gpu", cel(`device.attributes["${driver}"].numa == 1`))])], slices: [own("a")] },
      "claim default/c: selector #0: CEL runtime error: no such key: numa",
    ],
    [
      "all of a pool that changes",
      {
        claims: [claim("c", [request("gpu", { allocationMode: "All" })])],
        slices: [slice("node-1", devices("a"), { pool: { name: "node-1", generation: 1, resourceSliceCount: 2 } })],
      },
      "claim default/c, request gpu: asks for all devices, but resource pool gpu.example.com/node-1 is currently being updated",
    ],
  ])("%s", (_name, given, message) => {
    expect(() => allocated(given)).toThrow(message)
  })

  test("a search that goes back and forth for ever ends", () => {
    const many = Array.from({ length: 60 }, (_, at) => numa(`gpu-${at}`, at))
    const impossible = claim("c", [request("gpu", { count: 20 })], {
      constraints: [{ matchAttribute: `${driver}/kind` }, { distinctAttribute: `${driver}/numa` }],
    })
    expect(words({ claims: [impossible], slices: [slice("node-1", many)] })).toBe("none")
    const hard = claim("c", [request("gpu", { count: 20 }), request("none", cel("false"))])
    expect(() => words({ claims: [hard], slices: [slice("node-1", many)] })).toThrow("node node-1: timed out trying to allocate devices")
  })
})
