import type { Container, Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { webPod, webPods, webService } from "../service-endpoints/testing/objects.ts"
import { counted, existing, sizes, slicesAfter } from "./testing/slices.ts"

const service = webService()
const nothing = "0 create, 0 update, 0 delete"

function podsFrom(first: number, count: number): readonly Pod[] {
  return Array.from({ length: count }, (_, at) => webPod(first + at))
}

function podsFromSomeUnready(first: number, count: number, every: number): readonly Pod[] {
  return Array.from({ length: count }, (_, at) => webPod(first + at, { ready: at % every !== 0 }))
}

test("ReconcileManyPods: 250 pods make three slices", () => {
  expect([...sizes(slicesAfter({ pods: webPods(250) }))].sort()).toEqual([100, 100, 50])
})

describe("packing", () => {
  test("nothing changed, nothing written", () => {
    const slices = existing(service, webPods(100), podsFrom(101, 62))
    expect(counted({ slices, pods: webPods(162) })).toBe(nothing)
  })

  test("SomePreexisting: what is new goes into the untouched slice that it fills best", () => {
    // 62 and 61 of 250 are there; the 127 others make a full slice, and 27 more fit behind the 62.
    const slices = existing(service, podsFrom(1, 62), podsFrom(63, 61))
    const situation = { slices, pods: webPods(250) }
    expect(counted(situation)).toBe("1 create, 1 update, 0 delete")
    expect(sizes(slicesAfter(situation))).toEqual([89, 61, 100])
  })

  test("SomePreexistingWorseAllocation: slices are left alone even where fewer would do", () => {
    // 74 and 73 are there; of the 103 others 100 make a slice, and 3 go behind the fuller one.
    const slices = existing(service, podsFrom(1, 74), podsFrom(75, 73))
    const situation = { slices, pods: webPods(250) }
    expect(counted(situation)).toBe("1 create, 1 update, 0 delete")
    expect(sizes(slicesAfter(situation))).toEqual([77, 73, 100])
  })

  test("Updating: a change of every endpoint rewrites each slice in place", () => {
    const slices = slicesAfter({ service, pods: webPods(250) })
    const pods = webPods(250, { ready: false })
    expect(counted({ slices, pods })).toBe("0 create, 3 update, 0 delete")
    expect([...sizes(slicesAfter({ slices, pods }))].sort()).toEqual([100, 100, 50])
  })

  test("Recycling: slices of other ports are made into those that are wanted", () => {
    const old = webService({ ports: [{ port: 80, targetPort: 9999 }] })
    const slices = slicesAfter({ service: old, pods: webPods(250) })
    const situation = { slices, pods: webPods(250) }
    expect(counted(situation)).toBe("0 create, 3 update, 0 delete")
    expect(slicesAfter(situation).map(({ metadata }) => metadata.name)).toEqual(slices.map(({ metadata }) => metadata.name))
  })

  test("UpdatePacking: new endpoints fill the slices that are written anyway, fullest first", () => {
    const slices = existing(service, podsFrom(1, 80), podsFrom(81, 100), podsFrom(181, 20))
    // One endpoint of the first and one of the third change; 30 are new.
    const pods = webPods(230).map((pod, at) => (at === 0 || at === 180 ? webPod(at + 1, { ready: false }) : pod))
    expect(counted({ slices, pods })).toBe("0 create, 2 update, 0 delete")
    expect(sizes(slicesAfter({ slices, pods }))).toEqual([100, 100, 30])
  })

  test("vanished endpoints leave their place empty; the last one takes the slice with it", () => {
    const slices = existing(service, podsFrom(1, 50), podsFrom(51, 2))
    expect(sizes(slicesAfter({ slices, pods: podsFrom(1, 51) }))).toEqual([50, 1])
    expect(counted({ slices, pods: podsFrom(1, 50) })).toBe("0 create, 0 update, 1 delete")
  })

  test.each([
    { max: 10, expected: [...Array<number>(25).fill(10)] },
    { max: 60, expected: [60, 60, 60, 60, 10] },
    { max: 100, expected: [100, 100, 50] },
    { max: 500, expected: [250] },
  ])("MaxEndpointsPerSlice: $most", ({ max, expected }) => {
    const slices = slicesAfter({ pods: webPods(250), max })
    expect([...sizes(slices)].sort((a, b) => b - a)).toEqual(expected)
    expect(counted({ slices, pods: webPods(250), max })).toBe(nothing)
  })
})

describe("Recreation", () => {
  test("slice owned by Service: it is kept", () => {
    expect(counted({ slices: existing(service, webPods(1)), pods: webPods(1) })).toBe(nothing)
  })

  test("slice owned by other Service UID: it goes, and a new one comes", () => {
    const slices = existing(webService({}, { uid: "s-0" }), webPods(1))
    expect(counted({ slices, pods: webPods(1) })).toBe("1 create, 0 update, 1 delete")
  })
})

describe("ReplaceDeprecated", () => {
  test("a slice of an address type that cannot be turned into the wanted one goes", () => {
    const slices = existing(service, webPods(1)).map((slice) => ({ ...slice, addressType: "FQDN" as const }))
    expect(counted({ slices, pods: webPods(1) })).toBe("1 create, 0 update, 1 delete")
  })
})

function withPort(pod: Pod, container: Partial<Container>, init: readonly Container[] = []): Pod {
  return { ...pod, spec: { ...pod.spec!, containers: [{ name: "web", ...container }], initContainers: init } }
}

describe("NamedPorts", () => {
  const byName = webService({ ports: [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }] })
  const http = (containerPort: number) => ({ ports: [{ name: "http", containerPort, protocol: "TCP" as const }] })

  test("pods with another number behind the name stand in other slices", () => {
    const pods = webPods(30).map((pod, at) => withPort(pod, http(8080 + (at % 3))))
    const slices = slicesAfter({ service: byName, pods })
    expect(slices.map((slice) => `${slice.ports?.[0]?.port}: ${slice.endpoints?.length}`)).toEqual(["8080: 10", "8081: 10", "8082: 10"])
    expect(counted({ service: byName, slices, pods })).toBe(nothing)
  })

  test.each<[name: string, pod: Pod, expected: number | undefined]>([
    ["valid str, one ctr with ports", withPort(webPod(1), http(8080)), 8080],
    ["valid str, no ports", webPod(1), undefined],
    ["valid str, invalid protocol", withPort(webPod(1), { ports: [{ name: "http", containerPort: 1, protocol: "UDP" }] }), undefined],
    ["Sidecar initContainer named port", withPort(webPod(1), {}, [{ name: "proxy", restartPolicy: "Always", ...http(15001) }]), 15001],
    ["Invalid(restartPolicy != Always) initContainer named port", withPort(webPod(1), {}, [{ name: "init", ...http(15001) }]), undefined],
    [
      "App and sidecar containers have the same named port, first app container port will be used",
      withPort(webPod(1), http(8080), [{ name: "proxy", restartPolicy: "Always", ...http(15001) }]),
      8080,
    ],
  ])("%s", (_name, pod, expected) => {
    expect(slicesAfter({ service: byName, pods: [pod] })[0]?.ports?.[0]?.port).toBe(expected)
  })

  test("ports in another order are the same ports", () => {
    const ports = [
      { name: "a", port: 1, targetPort: 1 },
      { name: "b", port: 2, targetPort: 2 },
    ]
    const slices = existing(webService({ ports }), webPods(2))
    expect(counted({ service: webService({ ports: [...ports].reverse() }), slices, pods: webPods(2) })).toBe(nothing)
  })
})

test("however the pods change, each is listed exactly once", () => {
  let slices = slicesAfter({ pods: webPods(30), max: 7 })
  for (let round = 1; round <= 40; round++) {
    const pods = podsFromSomeUnready(1 + (round % 11), 10 + ((round * 17) % 31), 1 + (round % 5))
    slices = slicesAfter({ slices, pods, max: 7 })
    const names = slices.flatMap((slice) => slice.endpoints?.map(({ targetRef }) => targetRef?.name) ?? [])
    expect([...names].sort()).toEqual(pods.map(({ metadata }) => metadata.name).sort())
    expect(Math.max(...sizes(slices))).toBeLessThanOrEqual(7)
    expect(counted({ slices, pods, max: 7 })).toBe(nothing)
  }
})
