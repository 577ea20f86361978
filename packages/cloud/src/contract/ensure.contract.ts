import { expect } from "vitest"
import { loadBalancersFor, type MakeFixture, row } from "./testing/fixture.ts"
import { contractNode, contractService } from "./testing/subjects.ts"

/** The promises of `get`, `ensure` and `update`. */
export function ensureRows(make: MakeFixture): void {
  row("get finds nothing at first", make, async ({ balancers, signal }) => {
    expect(await balancers.get(contractService(), signal)).toBeUndefined()
  })

  row("ensure makes a balancer that get finds under its name", make, async ({ fixture, balancers, signal }) => {
    const service = contractService()
    const made = await balancers.ensure(service, [contractNode("a")], signal)
    expect(made.changed).toBe(true)
    expect(made.status.ingress?.length).toBeGreaterThan(0)
    expect(await balancers.get(service, signal)).toEqual(made.status)
    expect(await fixture.balancers()).toEqual([balancers.name(service)])
  })

  row("ensure of a balancer that matches writes nothing, also from a new process", make, async ({ fixture, balancers, signal }) => {
    const service = contractService()
    const made = await balancers.ensure(service, [contractNode("a")], signal)
    const before = fixture.writes()
    const seen = { ...service, status: { loadBalancer: made.status } }
    expect(await balancers.ensure(seen, [contractNode("a")], signal)).toMatchObject({ status: made.status, changed: false })
    expect(await loadBalancersFor(fixture, "one").ensure(seen, [contractNode("a")], signal)).toMatchObject({
      status: made.status,
      changed: false,
    })
    expect(fixture.writes()).toBe(before)
  })

  row("ensure brings a balancer to a changed Service, and keeps its address", make, async ({ fixture, balancers, signal }) => {
    const made = await balancers.ensure(contractService(), [contractNode("a")], signal)
    const port = { name: "more", port: 18_081, protocol: "TCP" as const, targetPort: 81, nodePort: 30_081 }
    const changed = { ...contractService([port]), status: { loadBalancer: made.status } }
    expect(await balancers.ensure(changed, [contractNode("a")], signal)).toMatchObject({ status: made.status, changed: true })
    expect(await fixture.balancers()).toHaveLength(1)
  })

  row("update changes the nodes, and a second update nothing", make, async ({ fixture, balancers, signal }) => {
    const service = contractService()
    await balancers.ensure(service, [contractNode("a")], signal)
    await balancers.update(service, [contractNode("a"), contractNode("b")], signal)
    const before = fixture.writes()
    await balancers.update(service, [contractNode("b"), contractNode("a")], signal)
    expect(fixture.writes()).toBe(before)
  })

  row("update without a balancer says BalancerNotFound", make, async ({ balancers, signal }) => {
    await expect(balancers.update(contractService(), [], signal)).rejects.toMatchObject({ name: "BalancerNotFound", code: "CLOUD" })
  })

  row("arguments are read-only", make, async ({ balancers, signal }) => {
    const service = deepFrozen(contractService())
    const node = deepFrozen(contractNode("a"))
    await balancers.ensure(service, Object.freeze([node]), signal)
    await balancers.update(service, Object.freeze([node]), signal)
    await balancers.ensureDeleted(service, signal)
    expect(await balancers.get(service, signal)).toBeUndefined()
  })
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value
  for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}
