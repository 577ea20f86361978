import { describe } from "vitest"
import { deleteRows } from "./delete.contract.ts"
import { ensureRows } from "./ensure.contract.ts"
import { faultRows } from "./faults.contract.ts"
import { identityRows } from "./identity.contract.ts"
import { instanceRows, routeRows } from "./instances-and-routes.contract.ts"
import type { MakeFixture } from "./testing/fixture.ts"

/** What every provider with load balancers promises. `make` gives an empty cloud each time. */
export function providerContract(name: string, make: MakeFixture): void {
  describe(`the provider contract: ${name}`, () => {
    ensureRows(make)
    deleteRows(make)
    identityRows(make)
    faultRows(make)
    instanceRows(make)
    routeRows(make)
  })
}
