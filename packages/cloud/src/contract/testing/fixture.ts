import { test } from "vitest"
import type { CloudProvider, LoadBalancers } from "../../provider/provider.ts"

/** A fault of the next call that the provider makes to its cloud. */
export type ContractFault = "fail" | "hang" | "lose-answer"

/** What an operator does with an instance. */
export type InstanceChange = "add" | "stop" | "delete"

/** One empty cloud, and the means to inspect and disturb it. */
export interface ProviderFixture extends AsyncDisposable {
  /** Returns a provider for a cluster on this cloud; each call stands for a new process. */
  provider(clusterName: string): CloudProvider
  /** Lists the names of all balancers in the cloud, of every cluster. */
  balancers(): Promise<readonly string[]>
  /** Counts the changes of the cloud so far. */
  writes(): number
  /** Deletes a balancer as an operator would at the cloud's own console. */
  deleteOutOfBand(name: string): Promise<void>
  /** Adds a running instance of that name, stops it, or deletes it. Undefined where instances cannot be made: the tests that need one are skipped. */
  changeInstance?(name: string, change: InstanceChange): Promise<void>
  /** The address of an instance that was added, for routes to it. Undefined where routes lead to names. */
  addressOf?(name: string): string
  /** Injects the fault into the next call to the cloud. Undefined where the cloud cannot be disturbed: the tests that need it are skipped. */
  fault?(fault: ContractFault): void
}

/** Returns an empty cloud each time. */
export type MakeFixture = () => Promise<ProviderFixture>

interface Tools {
  readonly fixture: ProviderFixture
  readonly balancers: LoadBalancers
  readonly signal: AbortSignal
}

/** Registers the test of one promise of load balancers, on a cloud of its own; skipped for a provider that has none. */
export function row(what: string, make: MakeFixture, work: (tools: Tools) => Promise<void>, needs?: "fault"): void {
  test(what, async ({ skip }) => {
    await using fixture = await make()
    if (needs !== undefined && fixture.fault === undefined) skip("this cloud cannot be disturbed")
    if (fixture.provider("one").loadBalancers === undefined) skip("this provider has no load balancers")
    await work({ fixture, balancers: loadBalancersFor(fixture, "one"), signal: new AbortController().signal })
  })
}

/** Returns the load balancers of a provider for the cluster; throws where the provider has none. */
export function loadBalancersFor(fixture: ProviderFixture, cluster: string): LoadBalancers {
  const { loadBalancers } = fixture.provider(cluster)
  if (loadBalancers === undefined) throw new Error("expected a provider with load balancers")
  return loadBalancers
}
