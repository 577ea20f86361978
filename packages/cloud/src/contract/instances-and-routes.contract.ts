import type { Node } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { MakeFixture } from "./testing/fixture.ts"
import { contractNode } from "./testing/subjects.ts"

/** The promises of a provider with instances; skipped for others. */
export function instanceRows(make: MakeFixture): void {
  test("an instance that the cloud does not have does not exist, and has no metadata", async ({ skip }) => {
    await using fixture = await make()
    const { instances } = fixture.provider("one")
    if (instances === undefined) return skip("this provider has no instances")
    const signal = new AbortController().signal
    expect(await instances.exists(contractNode("unknown"), signal)).toBe(false)
    await expect(instances.metadata(contractNode("unknown"), signal)).rejects.toMatchObject({ name: "InstanceNotFound", code: "CLOUD" })
  })
}

/** The promises about an instance that is there; skipped where the fixture makes none. */
export function runningInstanceRows(make: MakeFixture): void {
  test("an instance is found by the name of its node, and afterwards by its provider ID", async ({ skip }) => {
    await using fixture = await make()
    const { instances } = fixture.provider("one")
    if (instances === undefined || fixture.changeInstance === undefined) return skip("this cloud makes no instances")
    const signal = new AbortController().signal
    await fixture.changeInstance("a", "add")
    const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "a" } }
    const { providerId } = await instances.metadata(node, signal)
    expect(providerId).not.toBe("")
    const known: Node = { ...node, metadata: { name: "another-name" }, spec: { providerID: providerId } }
    expect((await instances.metadata(known, signal)).providerId).toBe(providerId)
    expect([await instances.exists(known, signal), await instances.isShutDown(known, signal)]).toEqual([true, false])
  })

  test("an instance that is stopped exists, and one that is deleted does not", async ({ skip }) => {
    await using fixture = await make()
    const { instances } = fixture.provider("one")
    if (instances === undefined || fixture.changeInstance === undefined) return skip("this cloud makes no instances")
    const signal = new AbortController().signal
    await fixture.changeInstance("a", "add")
    const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "a" } }
    const { providerId } = await instances.metadata(node, signal)
    const known: Node = { ...node, spec: { providerID: providerId } }
    await fixture.changeInstance("a", "stop")
    expect([await instances.exists(known, signal), await instances.isShutDown(known, signal)]).toEqual([true, true])
    await fixture.changeInstance("a", "delete")
    expect(await instances.exists(known, signal)).toBe(false)
    await expect(instances.metadata(known, signal)).rejects.toMatchObject({ name: "InstanceNotFound", code: "CLOUD" })
  })
}

/** The promises of a provider with routes; skipped for others. */
export function routeRows(make: MakeFixture): void {
  test("a route is created once, belongs to one cluster, and is deleted once", async ({ skip }) => {
    await using fixture = await make()
    const [one, two] = [fixture.provider("one").routes, fixture.provider("two").routes]
    if (one === undefined || two === undefined) return skip("this provider has no routes")
    const signal = new AbortController().signal
    await fixture.changeInstance?.("a", "add")
    const targetAddress = fixture.addressOf?.("a")
    const route = { targetNode: "a", destination: "10.244.1.0/24", ...(targetAddress !== undefined && { targetAddress }) }
    await one.create(route, "hint", signal)
    await one.create(route, "hint", signal)
    const [made, ...others] = await one.list(signal)
    expect([made, others.length]).toMatchObject([route, 0])
    expect(await two.list(signal)).toEqual([])
    await one.delete(made!, signal)
    await one.delete(made!, signal)
    expect(await one.list(signal)).toEqual([])
  })
}
