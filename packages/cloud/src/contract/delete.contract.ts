import { expect } from "vitest"
import { type MakeFixture, row } from "./testing/fixture.ts"
import { contractNode, contractService } from "./testing/subjects.ts"

/** The promises of `ensureDeleted`. */
export function deleteRows(make: MakeFixture): void {
  row("ensureDeleted deletes the balancer, and succeeds where there is none", make, async ({ fixture, balancers, signal }) => {
    const service = contractService()
    await balancers.ensure(service, [contractNode("a")], signal)
    await balancers.ensureDeleted(service, signal)
    expect(await fixture.balancers()).toEqual([])
    const before = fixture.writes()
    await balancers.ensureDeleted(service, signal)
    expect(fixture.writes()).toBe(before)
  })

  row("a balancer that was deleted out of band is created again", make, async ({ fixture, balancers, signal }) => {
    const service = contractService()
    await balancers.ensure(service, [contractNode("a")], signal)
    await fixture.deleteOutOfBand(balancers.name(service))
    expect(await balancers.get(service, signal)).toBeUndefined()
    await expect(balancers.update(service, [], signal)).rejects.toMatchObject({ name: "BalancerNotFound" })
    expect((await balancers.ensure(service, [contractNode("a")], signal)).changed).toBe(true)
    expect(await fixture.balancers()).toHaveLength(1)
  })
}
