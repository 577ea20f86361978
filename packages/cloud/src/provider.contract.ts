import { describe } from "vitest"
import { deleteRows } from "./contract/delete.contract.ts"
import { ensureRows } from "./contract/ensure.contract.ts"
import { faultRows } from "./contract/faults.contract.ts"
import { identityRows } from "./contract/identity.contract.ts"
import { instanceRows, routeRows } from "./contract/instances-and-routes.contract.ts"
import type { MakeFixture } from "./contract/test-fixture.ts"

export type { ContractFault, ProviderFixture } from "./contract/test-fixture.ts"
export { contractNode, contractService } from "./contract/test-subjects.ts"

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
