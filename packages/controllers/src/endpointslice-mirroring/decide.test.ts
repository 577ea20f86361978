import type { EndpointSubset, Endpoints } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { describe, expect, test } from "vitest"
import { operationsOf } from "../service-endpoints/testing/objects.ts"
import { decide } from "./decide.ts"
import { isMirrorable, mirroredKeys } from "./observe.ts"

const http = { name: "http", port: 80, protocol: "TCP" } as const
const https = { name: "https", port: 443, protocol: "TCP" } as const

function endpointsWith(subsets: readonly EndpointSubset[], metadata: Partial<Endpoints["metadata"]> = {}): Endpoints {
  return { apiVersion: "v1", kind: "Endpoints", metadata: { name: "db", namespace: "shop", uid: "e-1", ...metadata }, subsets }
}

function addresses(...ips: readonly string[]) {
  return ips.map((ip) => ({ ip }))
}

function planned(endpoints: Endpoints | undefined, slices: readonly EndpointSlice[] = [], max = 1000) {
  return decide({ endpoints, why: "the Endpoints are gone", slices }, { maxEndpointsPerSubset: max })
}

/** The slices that the plan leaves, as a server would have stored them. */
function after(endpoints: Endpoints, before: readonly EndpointSlice[] = [], max = 1000): readonly EndpointSlice[] {
  const slices = new Map(before.map((slice) => [slice.metadata.name, slice]))
  for (const operation of operationsOf(planned(endpoints, before, max))) {
    if (!("object" in operation)) continue
    const slice = operation.object as EndpointSlice
    const name = slice.metadata.name ?? `${slice.metadata.generateName}${slices.size + 1}`
    if (operation.do === "delete") slices.delete(name)
    else slices.set(name, { ...slice, metadata: { ...slice.metadata, name, resourceVersion: "7" } })
  }
  return [...slices.values()]
}

/** "IPv4 http: 10.0.0.1 10.0.0.2(not ready)" for each slice. */
function lines(slices: readonly EndpointSlice[]): readonly string[] {
  return slices.map(({ addressType, ports = [], endpoints = [] }) => {
    const each = endpoints.map(({ addresses: ips, conditions }) => `${ips[0]}${conditions?.ready ? "" : "(not ready)"}`)
    return `${addressType} ${ports.map(({ name }) => name).join("+")}: ${each.join(" ")}`
  })
}

function written(endpoints: Endpoints, slices: readonly EndpointSlice[]): readonly string[] {
  return operationsOf(planned(endpoints, slices)).map((one) => one.do)
}

const rows: readonly { readonly name: string; readonly subsets: readonly EndpointSubset[]; readonly expected: readonly string[] }[] = [
  { name: "no subsets give no slices", subsets: [], expected: [] },
  { name: "a subset without addresses gives none", subsets: [{ ports: [http] }], expected: [] },
  {
    name: "one address and no ports",
    subsets: [{ addresses: addresses("10.0.0.1") }],
    expected: ["IPv4 : 10.0.0.1"],
  },
  {
    name: "addresses that are not ready stand behind those that are",
    subsets: [{ addresses: addresses("10.0.0.2"), notReadyAddresses: addresses("10.0.0.1"), ports: [http, https] }],
    expected: ["IPv4 http+https: 10.0.0.2 10.0.0.1(not ready)"],
  },
  {
    name: "each family has a slice",
    subsets: [{ addresses: addresses("10.0.0.1", "FD00:0::1"), ports: [http] }],
    expected: ["IPv4 http: 10.0.0.1", "IPv6 http: fd00::1"],
  },
  {
    name: "each list of ports has a slice",
    subsets: [
      { addresses: addresses("10.0.0.1"), ports: [http] },
      { addresses: addresses("10.0.0.2"), ports: [https] },
    ],
    expected: ["IPv4 http: 10.0.0.1", "IPv4 https: 10.0.0.2"],
  },
  {
    name: "subsets of the same ports share a slice",
    subsets: [
      { addresses: addresses("10.0.0.1"), ports: [http] },
      { addresses: addresses("10.0.0.2"), ports: [http] },
    ],
    expected: ["IPv4 http: 10.0.0.1 10.0.0.2"],
  },
  {
    name: "leading zeros and IPv4 addresses in IPv6 form are written as Go writes them",
    subsets: [{ addresses: addresses("010.0.0.01", "::ffff:10.0.0.9"), ports: [http] }],
    expected: ["IPv4 http: 10.0.0.1 10.0.0.9"],
  },
]

test.each(rows)("$name", ({ subsets, expected }) => {
  expect(lines(after(endpointsWith(subsets)))).toEqual(expected)
})

describe("a slice", () => {
  const annotations = {
    "shop.example/team": "db",
    "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z",
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
  }
  const address = { ip: "10.0.0.1", hostname: "db-0", nodeName: "n1", targetRef: { kind: "Pod", name: "db-0", namespace: "shop" } }
  const [slice] = after(endpointsWith([{ addresses: [address], ports: [http] }], { labels: { app: "db" }, annotations }))

  test("carries labels, annotations and owner of the Endpoints", () => {
    expect(slice?.metadata).toMatchObject({
      generateName: "db-",
      namespace: "shop",
      annotations: { "shop.example/team": "db" },
      labels: {
        app: "db",
        "kubernetes.io/service-name": "db",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Endpoints", name: "db", uid: "e-1", controller: true, blockOwnerDeletion: true }],
    })
    expect(Object.keys(slice?.metadata.annotations ?? {})).toEqual(["shop.example/team"])
    expect(mirroredKeys(slice as EndpointSlice)).toEqual(["shop/db"])
  })

  test("says of an endpoint what the address says", () => {
    expect(slice?.endpoints).toEqual([
      { addresses: ["10.0.0.1"], conditions: { ready: true }, hostname: "db-0", nodeName: "n1", targetRef: address.targetRef },
    ])
  })
})

describe("slices that exist", () => {
  const subsets: readonly EndpointSubset[] = [{ addresses: addresses("10.0.0.1", "10.0.0.2"), ports: [http] }]
  const slices = after(endpointsWith(subsets))

  test.each([
    { name: "stay as they are when nothing differs", endpoints: endpointsWith(subsets), expected: [] },
    {
      name: "stay when only times and the last applied configuration differ",
      endpoints: endpointsWith(subsets, { annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "later" } }),
      expected: [],
    },
    {
      name: "are updated when an address is gone",
      endpoints: endpointsWith([{ addresses: addresses("10.0.0.1"), ports: [http] }]),
      expected: ["update"],
    },
    {
      name: "are updated when an address is no longer ready",
      endpoints: endpointsWith([{ addresses: addresses("10.0.0.1"), notReadyAddresses: addresses("10.0.0.2"), ports: [http] }]),
      expected: ["update"],
    },
    { name: "are updated when a label is new", endpoints: endpointsWith(subsets, { labels: { app: "db" } }), expected: ["update"] },
    {
      name: "are updated when an annotation is new",
      endpoints: endpointsWith(subsets, { annotations: { team: "db" } }),
      expected: ["update"],
    },
    { name: "are updated when Endpoints of another uid own them", endpoints: endpointsWith(subsets, { uid: "e-2" }), expected: ["update"] },
    { name: "are deleted when there are no addresses", endpoints: endpointsWith([]), expected: ["delete"] },
    {
      name: "are used again for other ports",
      endpoints: endpointsWith([{ addresses: addresses("10.0.0.1"), ports: [https] }]),
      expected: ["update"],
    },
    {
      name: "are not used again for another family",
      endpoints: endpointsWith([{ addresses: addresses("fd00::1"), ports: [http] }]),
      expected: ["create", "delete"],
    },
    {
      name: "are not joined by new ones while the Endpoints are being deleted",
      endpoints: endpointsWith([...subsets, { addresses: addresses("fd00::1"), ports: [https] }], {
        deletionTimestamp: "2026-01-01T00:00:00Z",
      }),
      expected: [],
    },
  ])("$name", ({ endpoints, expected }) => {
    expect(written(endpoints, slices)).toEqual(expected)
  })

  test("only the first of several with the same ports stays", () => {
    const [first] = slices as [EndpointSlice]
    const second = { ...first, metadata: { ...first.metadata, name: "db-zz" } }
    expect(after(endpointsWith(subsets), [first, second]).map(({ metadata }) => metadata.name)).toEqual([first.metadata.name])
  })

  test("an update keeps the name and the version of the slice", () => {
    const [operation] = operationsOf(planned(endpointsWith([{ addresses: addresses("10.0.0.9"), ports: [http] }]), slices))
    expect(operation).toMatchObject({ do: "update", object: { metadata: { name: "db-1", resourceVersion: "7" } } })
  })

  test("all go when there is nothing to mirror", () => {
    expect(operationsOf(planned(undefined, slices))).toMatchObject([{ do: "delete", reason: "the Endpoints are gone" }])
  })
})

describe("addresses that are skipped", () => {
  test("1001 addresses of a subset: one is not mirrored, and an event says so", () => {
    const many = Array.from({ length: 1001 }, (_, at) => `10.1.${Math.floor(at / 250)}.${(at % 250) + 1}`)
    const endpoints = endpointsWith([{ addresses: addresses(...many), ports: [http] }])
    expect(after(endpoints).map((slice) => slice.endpoints?.length)).toEqual([1000])
    expect(planned(endpoints).events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      "TooManyAddressesToMirror: A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped",
    ])
  })

  test("texts that are no addresses do not count against the limit", () => {
    const endpoints = endpointsWith([{ addresses: addresses("1.db", "10.0.0.1"), notReadyAddresses: addresses("10.0.0.2"), ports: [http] }])
    expect(lines(after(endpoints, [], 2))).toEqual(["IPv4 http: 10.0.0.1 10.0.0.2(not ready)"])
    expect(planned(endpoints, [], 2).events.map(({ message }) => message)).toEqual([
      "Skipped 1 invalid IP addresses when mirroring to EndpointSlices",
    ])
    expect(planned(endpoints, [], 1).events.map(({ message }) => message)).toEqual([
      "Skipped 1 invalid IP addresses when mirroring to EndpointSlices",
      "A max of 1 addresses can be mirrored to EndpointSlices per Endpoints subset. 2 addresses were skipped",
    ])
  })
})

test.each([
  { name: "no label", metadata: {}, expected: true },
  { name: "skip-mirror true", metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }, expected: false },
  { name: "skip-mirror of another value", metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "TRUE" } }, expected: true },
  { name: "a leader election's record", metadata: { annotations: { "control-plane.alpha.kubernetes.io/leader": "" } }, expected: false },
])("mirrorable with $name: $expected", ({ metadata, expected }) => {
  expect(isMirrorable(endpointsWith([], metadata))).toBe(expected)
})
