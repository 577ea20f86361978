import { events, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type ResourceClaim, type ResourceClaimTemplate, resourceClaims } from "@pilothouse/api/resource/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { cel, claim, deviceClass, devices, driver, request, slice } from "./devices/testing/devices.ts"

const options = { controllers: ["resource-claim-controller", "garbagecollector"], nodes: 2 }

const template: ResourceClaimTemplate = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaimTemplate",
  metadata: { name: "one-gpu", namespace: "default" },
  spec: { spec: { devices: { requests: [request("gpu")] } } },
}

/** A pod with one claim, of the template or of that name. */
function pod(name: string, resourceClaimName?: string, spec: Partial<Pod["spec"]> = {}): Pod {
  const entry = { name: "gpu", ...(resourceClaimName === undefined ? { resourceClaimTemplateName: "one-gpu" } : { resourceClaimName }) }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "a", image: "a" }], resourceClaims: [entry], ...spec },
  }
}

/** The uid is the server's. */
function withoutUid({ metadata: { uid: _uid, ...metadata }, ...rest }: ResourceClaim): ResourceClaim {
  return { ...rest, metadata }
}

async function placesOf(running: Cluster): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await running.list(pods)).map(({ metadata, spec }) => [metadata.name, spec?.nodeName ?? "none"]))
}

/** "gpu-0 of pod-a": what each claim has, and for which pods. */
async function held(running: Cluster): Promise<readonly string[]> {
  const found = await running.list(resourceClaims)
  return found
    .map(
      ({ status }) =>
        `${status?.allocation?.devices?.results?.map(({ device }) => device).join() ?? "nothing"} of ${(status?.reservedFor ?? []).map(({ name }) => name).join() || "none"}`,
    )
    .sort()
}

const lastMessage = async (running: Cluster, name: string) =>
  (await running.client.get(pods, `default/${name}`)).status?.conditions?.find(({ type }) => type === "PodScheduled")?.message

describe("pods with devices", () => {
  test("go where their devices are, and claims have them before the pods are bound", async () => {
    await using running = await cluster(options)
    for (const object of [deviceClass(), template, slice("node-1", devices("gpu-0")), slice("node-2", devices("gpu-1"))])
      await running.apply(object)
    for (const name of ["a", "b"]) await running.apply(pod(name))
    await running.advance("10s")
    expect(Object.values(await placesOf(running)).sort()).toEqual(["node-1", "node-2"])
    expect((await held(running)).map((text) => text.replace(/ of \w/, ""))).toEqual(["gpu-0", "gpu-1"])
    const [first] = await running.list(resourceClaims)
    expect(first?.metadata.finalizers).toEqual(["resource.kubernetes.io/delete-protection"])
    expect(first?.status?.allocation?.allocationTimestamp).toBeDefined()
  })

  test("more of them than devices: the last waits, says why, and comes when one is free", async () => {
    await using running = await cluster(options)
    for (const object of [deviceClass(), template, slice("node-1", devices("gpu-0"))]) await running.apply(object)
    await running.apply(pod("a"))
    await running.advance("5s")
    await running.apply(pod("b"))
    await running.advance("5s")
    expect(await placesOf(running)).toEqual({ a: "node-1", b: "none" })
    expect(await lastMessage(running, "b")).toBe(
      "0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    )
    await running.client.delete(pods, "default/a")
    await running.advance("1m")
    expect(await placesOf(running)).toEqual({ b: "node-1" })
    expect(await held(running)).toEqual(["gpu-0 of b"])
  })

  test("that share a claim go to the same node, and both have it reserved", async () => {
    await using running = await cluster(options)
    for (const object of [deviceClass(), slice("node-2", devices("gpu-0")), withoutUid(claim("shared", [request("gpu")]))])
      await running.apply(object)
    for (const name of ["a", "b"]) await running.apply(pod(name, "shared"))
    await running.advance("10s")
    expect(await placesOf(running)).toEqual({ a: "node-2", b: "node-2" })
    expect(await held(running)).toEqual(["gpu-0 of a,b"])
  })

  test("are chosen by expressions of class and claim", async () => {
    await using running = await cluster(options)
    const big = (int: number) => ({ size: { int } })
    await running.apply(deviceClass(driver, cel(`device.driver == "${driver}"`)))
    await running.apply(slice("node-1", [{ name: "small", attributes: big(1) }]))
    await running.apply(slice("node-2", [{ name: "large", attributes: big(8) }]))
    await running.apply(withoutUid(claim("large", [request("gpu", cel(`device.attributes["${driver}"].size >= 4`))])))
    await running.apply(pod("a", "large"))
    await running.advance("10s")
    expect([await placesOf(running), await held(running)]).toEqual([{ a: "node-2" }, ["large of a"]])
  })
})

describe("what a pod with devices waits for", () => {
  test("its claim: no event, no condition, until the claim is there", async () => {
    await using running = await cluster(options)
    for (const object of [deviceClass(), slice("node-1", devices("gpu-0"))]) await running.apply(object)
    await running.apply(pod("a", "late"))
    await running.advance("1m")
    expect(await lastMessage(running, "a")).toBeUndefined()
    await running.apply(withoutUid(claim("late", [request("gpu")])))
    await running.advance("5s")
    expect(await placesOf(running)).toEqual({ a: "node-1" })
  })

  const later: readonly (readonly [string, string, (running: Cluster) => Promise<unknown>])[] = [
    [
      "a device class",
      "0/2 nodes are available: request gpu: device class gpu.example.com does not exist. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
      (running) => running.apply(deviceClass()),
    ],
  ]
  test.each(later)("%s", async (_what, message, help) => {
    await using running = await cluster(options)
    await running.apply(slice("node-1", devices("gpu-0")))
    await running.apply(withoutUid(claim("c", [request("gpu")])))
    await running.apply(pod("a", "c"))
    await running.advance("5s")
    expect(await lastMessage(running, "a")).toBe(message)
    await help(running)
    await running.advance("5s")
    expect(await placesOf(running)).toEqual({ a: "node-1" })
  })

  test("a slice", async () => {
    await using running = await cluster(options)
    for (const object of [deviceClass(), withoutUid(claim("c", [request("gpu")])), pod("a", "c")]) await running.apply(object)
    await running.advance("5s")
    expect(await placesOf(running)).toEqual({ a: "none" })
    await running.apply(slice("node-1", devices("gpu-0")))
    await running.advance("5s")
    expect(await placesOf(running)).toEqual({ a: "node-1" })
  })

  test("an expression that fails is reported as the scheduler's error, and the next claim is not held up", async () => {
    await using running = await cluster(options)
    for (const object of [deviceClass(), slice("node-1", devices("gpu-0"))]) await running.apply(object)
    await running.apply(withoutUid(claim("wrong", [request("gpu", cel(`device.attributes["${driver}"].size == 1`))])))
    await running.apply(withoutUid(claim("right", [request("gpu")])))
    await running.apply(pod("a", "wrong"))
    await running.apply(pod("b", "right"))
    await running.advance("5s")
    expect(await placesOf(running)).toEqual({ a: "none", b: "node-1" })
    const told = await running.list(events)
    expect(told.map(({ message }) => message)).toContain(
      'running "DynamicResources" filter plugin: claim default/wrong: selector #0: CEL runtime error: no such key: size',
    )
  })
})

test("a claim that is idle where its pod cannot go is freed, and gets devices elsewhere", async () => {
  await using running = await cluster(options)
  for (const object of [deviceClass(), slice("node-1", devices("gpu-0")), withoutUid(claim("c", [request("gpu")]))])
    await running.apply(object)
  await running.apply(pod("first", "c"))
  await running.advance("5s")
  await running.client.patch(nodes, "node-1", { spec: { unschedulable: true } })
  await running.apply(slice("node-2", devices("gpu-1")))
  // As after a pod that was bound by another, and whose reservation was removed without its devices.
  const found = await running.client.get(resourceClaims, "default/c")
  await running.client.updateStatus(resourceClaims, { ...found, status: { ...found.status, reservedFor: undefined } })
  await running.client.delete(pods, "default/first")
  await running.apply(pod("second", "c"))
  await running.advance("1m")
  expect((await placesOf(running)).second).toBe("node-2")
  expect(await held(running)).toEqual(["gpu-1 of second"])
})

test("whichever API call the scheduler crashes at, no device is given away twice", async () => {
  const report = await crashPoints(
    {
      cluster: options,
      async run(running) {
        for (const object of [deviceClass(), template]) await running.apply(object)
        for (const [at, node] of ["node-1", "node-2"].entries()) await running.apply(slice(node, devices(`gpu-${at}`)))
        for (const name of ["a", "b", "c"]) await running.apply(pod(name))
        await running.advance("1m")
      },
      async end(running) {
        const places = Object.values(await placesOf(running))
        return [places.sort(), (await held(running)).map((text) => text.replace(/ of \w$/, ""))]
      },
    },
    { sample: 12, writers: ["default-scheduler"] },
  )
  expect(report.tried).toBe(12)
})
