import { test } from "vitest"
import type { CloudProvider, LoadBalancers } from "../../provider/provider.ts"

/** What goes wrong with the next call that the provider makes to its cloud. */
export type ContractFault = "fail" | "hang" | "lose-answer"

/** One cloud with nothing in it, and the means to look at it and to disturb it. */
export interface ProviderFixture extends AsyncDisposable {
  /** A provider of a cluster on this cloud; called again it is a new process of it. */
  provider(clusterName: string): CloudProvider
  /** The names of all the balancers that the cloud has, those of every cluster. */
  balancers(): Promise<readonly string[]>
  /** How often the cloud was changed so far. */
  writes(): number
  /** Deletes a balancer as somebody would at the cloud's own console. */
  deleteOutOfBand(name: string): Promise<void>
  /** The next call to the cloud goes wrong like this. Left out where the cloud cannot be made to: those rows are skipped. */
  fault?(fault: ContractFault): void
}

/** Gives an empty cloud each time. */
export type MakeFixture = () => Promise<ProviderFixture>

interface Tools {
  readonly fixture: ProviderFixture
  readonly balancers: LoadBalancers
  readonly signal: AbortSignal
}

/** One promise, tried on a cloud of its own. */
export function row(what: string, make: MakeFixture, work: (tools: Tools) => Promise<void>, needs?: "fault"): void {
  test(what, async ({ skip }) => {
    await using fixture = await make()
    if (needs !== undefined && fixture.fault === undefined) skip("this cloud cannot be disturbed")
    await work({ fixture, balancers: loadBalancersFor(fixture, "one"), signal: new AbortController().signal })
  })
}

export function loadBalancersFor(fixture: ProviderFixture, cluster: string): LoadBalancers {
  const { loadBalancers } = fixture.provider(cluster)
  if (loadBalancers === undefined) throw new Error("expected a provider with load balancers")
  return loadBalancers
}
