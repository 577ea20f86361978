import type { Clock } from "@pilothouse/seams"
import type { CloudAccess, Connect } from "../calls/keystone.ts"
import { type OpenStack, openStack } from "../cloud.ts"

/** A cloud that the contract suites run against: the embedded one, or a real one. It may hold things of others, which are left alone. */
export interface CloudFixture {
  readonly access: CloudAccess
  readonly connect: Connect
  readonly clock: Clock
  readonly place: CloudPlace
  /** The load balancer service; Octavia by default. */
  readonly loadBalancing?: "octavia" | "neutron-lbaas"
  /** Runs the work until it is done: where time is virtual, it advances the clock. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** What the cloud has from the beginning. */
export interface CloudPlace {
  readonly project: string
  readonly podNetwork: string
  readonly podSubnet: string
  readonly serviceSubnet: string
  /** Cannot be reached from the public network. */
  readonly publicNetwork: string
  /** A host on which ports can be bound. */
  readonly host: string
}

/** Clients of a fixture, and everything that a row made is taken away again, newest first. */
export interface ContractTools extends CloudFixture {
  readonly cloud: OpenStack
  /** A name that no other row has. */
  readonly name: string
  later(clean: () => Promise<unknown>): void
}

export async function withTools(fixture: CloudFixture, name: string, work: (tools: ContractTools) => Promise<void>): Promise<void> {
  const cleaning: (() => Promise<unknown>)[] = []
  const { access, connect, clock, loadBalancing } = fixture
  const cloud = openStack({ access, connect, clock, loadBalancing })
  const tools = { ...fixture, cloud, name, later: (clean: () => Promise<unknown>) => void cleaning.unshift(clean) }
  await fixture.run(async () => {
    try {
      await work(tools)
    } finally {
      for (const clean of cleaning) await clean()
    }
  })
}
