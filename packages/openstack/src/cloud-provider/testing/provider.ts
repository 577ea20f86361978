import type { Node, Service } from "@pilothouse/api/core/v1"
import { contractNode, contractService } from "@pilothouse/cloud/contract"
import type { VirtualClock } from "@pilothouse/seams"
import { openStack } from "../../clients/cloud.ts"
import type { EmbeddedOpenStack } from "../../embedded/embedded-open-stack.ts"
import { testCloud } from "../../embedded/testing/cloud.ts"
import { openStackProvider } from "../load-balancers.ts"
import type { BalancerSettings } from "../settings.ts"

export const prefix = "loadbalancer.openstack.org/"

/** The contract waits for promises only: here virtual time is moved beside it, as fast as it goes. */
export function movingTime(clock: VirtualClock): AsyncDisposable {
  const stop = new AbortController()
  const moving = (async () => {
    while (!stop.signal.aborted) await clock.advance(50)
  })()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await moving
    },
  }
}

export interface TestProvider extends AsyncDisposable {
  readonly embedded: EmbeddedOpenStack
  readonly cloud: ReturnType<typeof openStack>
  readonly balancers: NonNullable<ReturnType<typeof openStackProvider>["loadBalancers"]>
  readonly signal: AbortSignal
}

/** The provider of the cluster "one" on an embedded cloud, in time that moves by itself. */
export function providerWith(settings: (seed: EmbeddedOpenStack["seed"]) => BalancerSettings = () => ({})): TestProvider {
  const { embedded, clock, connect, access } = testCloud()
  const cloud = openStack({ access, connect, clock, retries: 0 })
  const whole = { subnetId: embedded.seed.nodeSubnet, ...settings(embedded.seed) }
  const { loadBalancers } = openStackProvider({ cloud, clusterName: "one", settings: whole })
  const time = movingTime(clock)
  return {
    embedded,
    cloud,
    balancers: loadBalancers!,
    signal: new AbortController().signal,
    [Symbol.asyncDispose]: () => time[Symbol.asyncDispose](),
  }
}

export interface ServiceSetup {
  /** Behind the prefix; whole names have a slash. */
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: Partial<NonNullable<Service["spec"]>>
  readonly name?: string
  readonly uid?: string
}

/** A Service of type LoadBalancer with the port 18080 → 30080. */
export function serviceWith({ annotations = {}, spec, name, uid }: ServiceSetup = {}): Service {
  const plain = contractService()
  const whole = Object.entries(annotations).map(([key, value]) => [key.includes("/") ? key : `${prefix}${key}`, value])
  const about = { ...plain.metadata, ...(name && { name }), ...(uid && { uid }), annotations: Object.fromEntries(whole) }
  return { ...plain, metadata: about, spec: { ...plain.spec, ...spec } as Service["spec"] }
}

export function nodeAt(name: string, address: string, labels: Readonly<Record<string, string>> = {}, type = "InternalIP"): Node {
  const plain = contractNode(name)
  return { ...plain, metadata: { ...plain.metadata, labels }, status: { addresses: [{ type: type as "InternalIP", address }] } }
}

/** One of each kind, as the cloud has it. */
export function rows({ embedded: { octavia, neutron } }: TestProvider) {
  return {
    balancer: octavia.balancers.where(() => true)[0],
    listener: octavia.listeners.where(() => true)[0],
    pool: octavia.pools.where(() => true)[0],
    members: octavia.members.where(() => true).map((one) => `${one.name} ${one.address}:${one.protocol_port}`),
    monitor: octavia.monitors.where(() => true)[0],
    floating: [...neutron.floatingIps.values()],
  }
}

/** A Service that was made on a cloud of its own, with two nodes. */
export async function ensured(setup: ServiceSetup, settings?: (seed: TestProvider["embedded"]["seed"]) => BalancerSettings) {
  const stage = providerWith(settings)
  const service = serviceWith(setup)
  const nodes = [nodeAt("a", "192.168.0.10"), nodeAt("b", "192.168.0.11")]
  const answer = await stage.balancers.ensure(service, nodes, stage.signal)
  return { ...stage, service, answer, ...rows(stage), [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}
