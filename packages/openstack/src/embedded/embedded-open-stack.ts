import {
  abortable,
  type Clock,
  onAbort,
  PilothouseError,
  type Query,
  type Random,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  throwIfAborted,
  type Verb,
  valueBody,
  withoutTrailing,
} from "@pilothouse/seams"
import type { CloudAccess, Connect } from "../clients/calls/keystone.ts"
import { KeystoneService } from "./keystone/keystone-service.ts"
import { Agent } from "./neutron/agent.ts"
import { neutronRoutes } from "./neutron/neutron-service.ts"
import { Ports } from "./neutron/ports.ts"
import { NeutronState } from "./neutron/state.ts"
import { NovaState, novaRoutes } from "./nova/nova-service.ts"
import { neutronLbaasRoutes } from "./octavia/neutron-lbaas.ts"
import { octaviaRoutes } from "./octavia/octavia-service.ts"
import { OctaviaState } from "./octavia/state.ts"
import { defaultKnobs, type EmbeddedKnobs } from "./rest/knobs.ts"
import { injected, neutronProblem, Problem } from "./rest/problem.ts"
import { type EmbeddedAnswer, type EmbeddedRequest, Router } from "./rest/routes.ts"
import { type EmbeddedSeed, seedCloud } from "./seed.ts"
import { serviceSubnet } from "./service-subnet.ts"

/** Time and randomness of the embedded cloud, its limits, and the faults that a test scripts. */
export interface EmbeddedOpenStackOptions {
  readonly clock: Clock
  readonly random: Random
  readonly knobs?: Partial<EmbeddedKnobs>
  /** Asked at every call, after it was noted. May be changed at any time with `cloud.fault = …`. */
  readonly fault?: FaultScript
  /** How many of the newest calls are kept, for tests to inspect; 20,000 by default. */
  readonly keepCalls?: number
}

const addresses = {
  identity: "http://keystone.embedded/v3",
  network: "http://neutron.embedded",
  "load-balancer": "http://octavia.embedded",
  compute: "http://nova.embedded/v2.1",
}

/**
 * A small OpenStack in this process: Keystone, Neutron, Octavia and Nova as transports, with networks, a router and an account to begin with.
 * Several clusters may use it, and it outlives them. What it answers is what the real ones answer: the contract suite of the clients runs against both.
 * Invariant: `writes` counts every call that changed something.
 */
export class EmbeddedOpenStack {
  readonly knobs: EmbeddedKnobs
  readonly calls: EmbeddedCall[] = []
  writes = 0
  fault: FaultScript
  readonly keystone: KeystoneService
  readonly neutron: NeutronState
  readonly octavia: OctaviaState
  /** Servers, which clients only read. */
  readonly nova: NovaState
  /** What is there from the beginning: ids of networks, subnets, the project. */
  readonly seed: EmbeddedSeed
  readonly #clock: Clock
  readonly #ports: Ports
  readonly #routers: Readonly<Record<EmbeddedServiceName, Router>>
  readonly #keepCalls: number
  #index = 0

  constructor({ clock, random, knobs, fault = () => undefined, keepCalls = 20_000 }: EmbeddedOpenStackOptions) {
    this.#clock = clock
    this.#keepCalls = keepCalls
    this.fault = fault
    this.knobs = { ...defaultKnobs(), ...knobs }
    this.keystone = new KeystoneService({ clock, random, knobs: this.knobs }, addresses)
    this.neutron = new NeutronState(clock, random)
    const agent = new Agent(this.neutron, this.knobs)
    const ports = new Ports(this.neutron, agent)
    this.#ports = ports
    this.seed = seedCloud({ keystone: this.keystone, neutron: this.neutron, ports, random })
    const around = { clock, random, knobs: this.knobs, neutron: this.neutron, ports, serviceProject: this.seed.serviceProject }
    this.octavia = new OctaviaState(around)
    const { project, nodeNetwork: network } = this.seed
    this.nova = new NovaState({ neutron: this.neutron, ports, random, project, network })
    this.#routers = {
      keystone: new Router(this.keystone.routes()),
      neutron: new Router({ ...neutronRoutes(this.neutron, agent), ...neutronLbaasRoutes(this.octavia) }),
      octavia: new Router(octaviaRoutes(this.octavia)),
      nova: new Router(novaRoutes(this.nova)),
    }
  }

  /** For the clients: a transport to one of the four services. */
  readonly connect: Connect = (url) => this.#transport(url)

  /** Whether Keystone has issued this token, which is valid. */
  hasToken(token: string | undefined): boolean {
    return this.keystone.hasToken(token)
  }

  /** As the user of the first cluster. */
  access(): CloudAccess {
    const domain = { id: "default" }
    const { name, password } = this.seed.user
    return {
      authUrl: addresses.identity,
      region: "RegionOne",
      credentials: { type: "password", user: { name, domain }, password, project: { name: this.seed.projectName, domain } },
    }
  }

  /** The subnet for the Services of a cluster whose API server gives addresses of this range: "10.96.0.0/12". */
  serviceSubnet(range: string): string {
    return serviceSubnet(this.neutron, this.#ports, this.seed, range)
  }

  #transport(url: string): Transport {
    const { hostname, pathname } = new URL(url)
    const service = hostname.split(".")[0] as EmbeddedServiceName
    if (!(service in this.#routers)) throw new PilothouseError("CONNECTION_LOST", `expected an address of the embedded cloud, found ${url}`)
    const base = withoutTrailing(pathname, "/")
    return (request) => this.#answer(service, { ...request, path: `${base}${request.path}` })
  }

  async #answer(service: EmbeddedServiceName, request: TransportRequest): Promise<TransportResponse> {
    throwIfAborted(request.signal)
    const { verb, path, query } = request
    const body = request.body?.type === "value" ? request.body.value : parsed(request.body?.bytes)
    const call: EmbeddedCall = { service, verb, path, query, body, index: this.#index++ }
    if (this.calls.push(call) > this.#keepCalls) this.calls.shift()
    const fault = this.fault(call) ?? {}
    await this.#before(call, fault, request.signal)
    return abortable(this.#work(call, fault, request), request.signal)
  }

  async #work(call: EmbeddedCall, fault: EmbeddedFault, request: TransportRequest): Promise<TransportResponse> {
    const { service, verb, path } = call
    if (fault.takes !== undefined) await this.#clock.sleep(fault.takes, { name: `embedded cloud at work: ${verb} ${path}` })
    const answer =
      fault.status !== undefined && !fault.loseAnswer ? refusal(injected(service, fault.status)) : this.#carryOut(call, request)
    if (fault.answersAfter !== undefined)
      await this.#clock.sleep(fault.answersAfter, { name: `embedded cloud answers late: ${verb} ${path}` })
    if (!fault.loseAnswer) return response(answer)
    if (fault.status !== undefined) return response(refusal(injected(service, fault.status)))
    throw new PilothouseError("CONNECTION_LOST", `the connection was lost before the answer came: ${verb} ${path}`)
  }

  async #before({ verb, path }: EmbeddedCall, fault: EmbeddedFault, signal: AbortSignal | undefined): Promise<void> {
    const wait = this.knobs.latency + (fault.delay ?? 0)
    if (wait > 0) await this.#clock.sleep(wait, { signal, name: `embedded cloud: ${verb} ${path}` })
    if (fault.hang) await untilAborted(signal)
    throwIfAborted(signal)
    if (fault.loseRequest)
      throw new PilothouseError("CONNECTION_LOST", `the connection was lost before the request was sent: ${verb} ${path}`)
  }

  #carryOut({ service, verb, path, query, body }: EmbeddedCall, { headers }: TransportRequest): EmbeddedAnswer {
    try {
      // The versions need no token.
      const isOpen = service === "keystone" || (verb === "GET" && path === "/")
      const project = isOpen ? "" : this.keystone.tokenProject(headers["x-auth-token"])
      const found = this.#routers[service].find(verb, path)
      if (found === undefined) throw neutronProblem(404, "HTTPNotFound", "The resource could not be found.")
      const request: EmbeddedRequest = { verb, path, query, headers, body: structuredClone(body), project, parts: found.parts }
      const answer = found.handle(request)
      if (verb !== "GET" && service !== "keystone") this.writes++
      return answer
    } catch (error) {
      if (error instanceof Problem) return refusal(error)
      throw error
    }
  }
}

function refusal({ status, body }: Problem): EmbeddedAnswer {
  return { status, value: body }
}

/** A copy: what the caller does with an answer is its own affair. */
function response({ status, value, headers = {} }: EmbeddedAnswer): TransportResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: valueBody(structuredClone(value)) }
}

function parsed(bytes: Uint8Array | undefined): unknown {
  return bytes === undefined || bytes.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes))
}

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve)
  })
}

export type EmbeddedServiceName = "keystone" | "neutron" | "octavia" | "nova"

/** One call that reached the cloud. */
export interface EmbeddedCall {
  readonly service: EmbeddedServiceName
  readonly verb: Verb
  /** "/v2.0/ports" */
  readonly path: string
  readonly query: Query
  readonly body: unknown
  /** From 0. */
  readonly index: number
}

/** What goes wrong with a call. Several of them may be given at once. */
export interface EmbeddedFault {
  /** Milliseconds before anything is done. */
  readonly delay?: number
  /** Milliseconds that the work takes. It is done, as by a real service, even when the client waits no longer. */
  readonly takes?: number
  /** Milliseconds between the work and its answer: others see what was done all that time. */
  readonly answersAfter?: number
  /** Nothing is done, and this is the status of the answer; with `loseAnswer` all is done first. */
  readonly status?: number
  /** All is done, and the connection breaks, or `status` is answered. */
  readonly loseAnswer?: boolean
  /** Nothing is done, and the connection breaks. */
  readonly loseRequest?: boolean
  /** No answer, ever, and nothing is done. */
  readonly hang?: boolean
}

/** Called with every call: returns the fault that it meets, or undefined where it is answered as usual. */
export type FaultScript = (call: EmbeddedCall) => EmbeddedFault | undefined
