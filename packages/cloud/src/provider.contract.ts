import type { Node, Service } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import type { CloudProvider, LoadBalancers } from "./provider.ts"

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
  deleteBehindOurBack(name: string): Promise<void>
  /** The next call to the cloud goes wrong like this. Left out where the cloud cannot be made to: those rows are skipped. */
  fault?(fault: ContractFault): void
}

/** What every provider with load balancers promises. `make` gives an empty cloud each time. */
export function providerContract(name: string, make: () => Promise<ProviderFixture>): void {
  describe(`the provider contract: ${name}`, () => {
    ensureRows(make)
    deleteRows(make)
    identityRows(make)
    faultRows(make)
    instanceRows(make)
    routeRows(make)
  })
}

interface Tools {
  readonly fixture: ProviderFixture
  readonly balancers: LoadBalancers
  readonly signal: AbortSignal
}

function row(what: string, make: () => Promise<ProviderFixture>, work: (tools: Tools) => Promise<void>, needs?: "fault"): void {
  test(what, async ({ skip }) => {
    await using fixture = await make()
    if (needs !== undefined && fixture.fault === undefined) skip("this cloud cannot be disturbed")
    await work({ fixture, balancers: balancersOf(fixture, "one"), signal: new AbortController().signal })
  })
}

function ensureRows(make: () => Promise<ProviderFixture>): void {
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

  row("ensure of what is as it should be writes nothing, also from a new process", make, async ({ fixture, balancers, signal }) => {
    const service = contractService()
    const made = await balancers.ensure(service, [contractNode("a")], signal)
    const before = fixture.writes()
    const seen = { ...service, status: { loadBalancer: made.status } }
    expect(await balancers.ensure(seen, [contractNode("a")], signal)).toMatchObject({ status: made.status, changed: false })
    expect(await balancersOf(fixture, "one").ensure(seen, [contractNode("a")], signal)).toMatchObject({
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

  row("update changes the nodes, and a second one nothing", make, async ({ fixture, balancers, signal }) => {
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

function deleteRows(make: () => Promise<ProviderFixture>): void {
  row("ensureDeleted takes the balancer away, and succeeds where there is none", make, async ({ fixture, balancers, signal }) => {
    const service = contractService()
    await balancers.ensure(service, [contractNode("a")], signal)
    await balancers.ensureDeleted(service, signal)
    expect(await fixture.balancers()).toEqual([])
    const before = fixture.writes()
    await balancers.ensureDeleted(service, signal)
    expect(fixture.writes()).toBe(before)
  })

  row("a balancer that was deleted behind our back is made again", make, async ({ fixture, balancers, signal }) => {
    const service = contractService()
    await balancers.ensure(service, [contractNode("a")], signal)
    await fixture.deleteBehindOurBack(balancers.name(service))
    expect(await balancers.get(service, signal)).toBeUndefined()
    await expect(balancers.update(service, [], signal)).rejects.toMatchObject({ name: "BalancerNotFound" })
    expect((await balancers.ensure(service, [contractNode("a")], signal)).changed).toBe(true)
    expect(await fixture.balancers()).toHaveLength(1)
  })
}

function identityRows(make: () => Promise<ProviderFixture>): void {
  row("a Service made anew under the same name has another balancer", make, async ({ fixture, balancers, signal }) => {
    const [old, young] = [contractService(), contractService([], "2b6f2c33-0000-4000-8000-000000000002")]
    expect(balancers.name(old)).not.toBe(balancers.name(young))
    await balancers.ensure(old, [], signal)
    expect(await balancers.get(young, signal)).toBeUndefined()
    await balancers.ensureDeleted(young, signal)
    expect(await fixture.balancers()).toEqual([balancers.name(old)])
  })

  row("two clusters never share a balancer, not even of a Service with the same UID", make, async ({ fixture, balancers, signal }) => {
    const other = balancersOf(fixture, "two")
    const service = contractService()
    await balancers.ensure(service, [], signal)
    expect(await other.get(service, signal)).toBeUndefined()
    await other.ensure(service, [], signal)
    expect(await fixture.balancers()).toHaveLength(2)
    await other.ensureDeleted(service, signal)
    expect(await fixture.balancers()).toEqual([balancers.name(service)])
  })
}

function faultRows(make: () => Promise<ProviderFixture>): void {
  row(
    "a lost answer: the same call again ends with one balancer",
    make,
    async ({ fixture, balancers, signal }) => {
      const service = contractService()
      fixture.fault?.("lose-answer")
      await expect(balancers.ensure(service, [contractNode("a")], signal)).rejects.toThrow()
      const { status } = await balancers.ensure(service, [contractNode("a")], signal)
      expect(await fixture.balancers()).toEqual([balancers.name(service)])
      expect(await balancers.get(service, signal)).toEqual(status)
    },
    "fault",
  )

  row(
    "a failed ensure leaves nothing that ensureDeleted does not find",
    make,
    async ({ fixture, balancers, signal }) => {
      const service = contractService()
      fixture.fault?.("fail")
      await expect(balancers.ensure(service, [contractNode("a")], signal)).rejects.toThrow()
      await balancers.ensureDeleted(service, signal)
      expect(await fixture.balancers()).toEqual([])
    },
    "fault",
  )

  row(
    "a lost answer to ensureDeleted: it may be called again",
    make,
    async ({ fixture, balancers, signal }) => {
      const service = contractService()
      await balancers.ensure(service, [], signal)
      fixture.fault?.("lose-answer")
      await expect(balancers.ensureDeleted(service, signal)).rejects.toThrow()
      await balancers.ensureDeleted(service, signal)
      expect(await fixture.balancers()).toEqual([])
    },
    "fault",
  )

  row(
    "a call to a cloud that hangs ends when it is told to, and other calls go on",
    make,
    async ({ fixture, balancers, signal }) => {
      const stop = new AbortController()
      fixture.fault?.("hang")
      const hanging = balancers.ensure(contractService(), [], stop.signal).then(
        () => "done",
        () => "ended",
      )
      const other = contractService([], "3c6f2c33-0000-4000-8000-000000000003")
      await balancers.ensure(other, [], signal)
      stop.abort()
      expect(await hanging).toBe("ended")
      expect(await fixture.balancers()).toEqual([balancers.name(other)])
    },
    "fault",
  )
}

function instanceRows(make: () => Promise<ProviderFixture>): void {
  test("a machine that the cloud does not have does not exist, and has no metadata", async ({ skip }) => {
    await using fixture = await make()
    const { instances } = fixture.provider("one")
    if (instances === undefined) return skip("this provider has no instances")
    const signal = new AbortController().signal
    expect(await instances.exists(contractNode("nobody"), signal)).toBe(false)
    await expect(instances.metadata(contractNode("nobody"), signal)).rejects.toMatchObject({ name: "InstanceNotFound", code: "CLOUD" })
  })
}

function routeRows(make: () => Promise<ProviderFixture>): void {
  test("a route is made once, belongs to one cluster, and goes once", async ({ skip }) => {
    await using fixture = await make()
    const [one, two] = [fixture.provider("one").routes, fixture.provider("two").routes]
    if (one === undefined || two === undefined) return skip("this provider has no routes")
    const signal = new AbortController().signal
    const route = { targetNode: "a", destination: "10.244.1.0/24" }
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

function balancersOf(fixture: ProviderFixture, cluster: string): LoadBalancers {
  const { loadBalancers } = fixture.provider(cluster)
  if (loadBalancers === undefined) throw new Error("expected a provider with load balancers")
  return loadBalancers
}

type Ports = NonNullable<NonNullable<Service["spec"]>["ports"]>

/** A Service with one TCP port, and others if there are. */
export function contractService(more: Ports = [], uid = "1a6f2c33-0000-4000-8000-000000000001"): Service {
  const ports: Ports = [{ name: "web", port: 18_080, protocol: "TCP", targetPort: 80, nodePort: 30_080 }, ...more]
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default", uid },
    spec: { type: "LoadBalancer", clusterIP: "10.96.0.7", selector: { app: "web" }, ports },
  }
}

export function contractNode(name: string): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec: { providerID: `contract:///${name}` } }
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value
  for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}
