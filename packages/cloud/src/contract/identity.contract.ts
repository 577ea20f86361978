import { expect } from "vitest"
import { loadBalancersFor, type MakeFixture, row } from "./testing/fixture.ts"
import { contractService } from "./testing/subjects.ts"

/** The promises about names: balancers of two Services or two clusters are never the same. */
export function identityRows(make: MakeFixture): void {
  row("a Service that is created again under the same name has another balancer", make, async ({ fixture, balancers, signal }) => {
    const [old, young] = [contractService(), contractService([], "2b6f2c33-0000-4000-8000-000000000002")]
    expect(balancers.name(old)).not.toBe(balancers.name(young))
    await balancers.ensure(old, [], signal)
    expect(await balancers.get(young, signal)).toBeUndefined()
    await balancers.ensureDeleted(young, signal)
    expect(await fixture.balancers()).toEqual([balancers.name(old)])
  })

  row("two clusters never share a balancer, not even of a Service with the same UID", make, async ({ fixture, balancers, signal }) => {
    const other = loadBalancersFor(fixture, "two")
    const service = contractService()
    await balancers.ensure(service, [], signal)
    expect(await other.get(service, signal)).toBeUndefined()
    await other.ensure(service, [], signal)
    expect(await fixture.balancers()).toHaveLength(2)
    await other.ensureDeleted(service, signal)
    expect(await fixture.balancers()).toEqual([balancers.name(service)])
  })
}
