import { describe } from "vitest"
import { deleteRows } from "./delete.contract.ts"
import { ensureRows } from "./ensure.contract.ts"
import { faultRows } from "./faults.contract.ts"
import { identityRows } from "./identity.contract.ts"
import { instanceRows, routeRows, runningInstanceRows } from "./instances-and-routes.contract.ts"
import type { MakeFixture } from "./testing/fixture.ts"

/** Registers the tests that define a provider; those of a capability that it lacks are skipped. `make` returns an empty cloud each time. */
export function providerContract(name: string, make: MakeFixture): void {
  describe(`the provider contract: ${name}`, () => {
    ensureRows(make)
    deleteRows(make)
    identityRows(make)
    faultRows(make)
    instanceRows(make)
    runningInstanceRows(make)
    routeRows(make)
  })
}
