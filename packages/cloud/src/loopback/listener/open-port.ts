import type { Clock, Log } from "@pilothouse/seams"
import type { PodDialer } from "../dialer/pod-dialer.ts"
import type { ServiceCounters } from "../targets/counters.ts"
import type { Targets } from "../targets/targets.ts"
import { bindExactly, bindOrNext } from "./bind.ts"
import type { MappedPort } from "./mapped-port.ts"
import { listenTcp } from "./tcp-listener.ts"
import { TcpPort } from "./tcp-port.ts"
import { listenUdp, type UdpListener } from "./udp-listener.ts"
import { UdpPort, type UdpPortOptions } from "./udp-port.ts"

/** An open port of a balancer or a node. */
export interface OpenPort extends MappedPort {
  readonly targets: Targets
  /** Notifies the port that its targets have changed. */
  changed(): void
  /** The port is free when this resolves; connections have until the drain timeout. */
  close(): Promise<void>
}

/** Where a port listens and forwards to. */
export interface OpenPortOptions {
  readonly address: string
  readonly service: string
  readonly dialer: PodDialer
  readonly counters: ServiceCounters
  readonly clock: Clock
  readonly log: Log
  readonly drain: number
  readonly targets: Targets
  readonly admits: (client: string) => boolean
  /** No replacement: that port or an error. */
  readonly exact?: boolean
  /** The port that it had in place of the requested one. */
  readonly before?: number
}

/** Listens on the port, or on a replacement unless `exact`. Throws the system's error for an address that it lacks. */
export function openPort(protocol: OpenPort["protocol"], port: number, options: OpenPortOptions): Promise<OpenPort> {
  return protocol === "TCP" ? openTcp(port, options) : openUdp(port, options)
}

async function openTcp(port: number, options: OpenPortOptions): Promise<OpenPort> {
  const handling = new TcpPort(options)
  const listener = await bindAs(port, options, (free) => listenTcp(options.address, free, (socket) => handling.accept(socket)))
  const counted = options.counters.hold(options.service)
  const close = async () => {
    await listener.close()
    // The last connection counts when it ends.
    handling.drain(() => counted[Symbol.dispose]())
    if (handling.connections > 0) options.clock.timer(options.drain, "connections of a balancer that is gone", () => handling.cut())
  }
  return { address: options.address, port, protocol: "TCP", bound: listener.port, targets: options.targets, changed: () => {}, close }
}

async function openUdp(port: number, options: OpenPortOptions): Promise<OpenPort> {
  const opened: { listener?: UdpListener } = {}
  const answer: UdpPortOptions["answer"] = (message, client) => opened.listener?.send(message, client.port, client.address)
  const handling = new UdpPort({ ...options, answer })
  const listener = await bindAs(port, options, (free) =>
    listenUdp(options.address, free, (message, from) => handling.receive(message, from)),
  )
  opened.listener = listener
  const counted = options.counters.hold(options.service)
  const close = async () => {
    opened.listener = undefined
    handling.cut()
    await listener.close()
    counted[Symbol.dispose]()
  }
  return {
    address: options.address,
    port,
    protocol: "UDP",
    bound: listener.port,
    targets: options.targets,
    changed: () => handling.targetsChanged(),
    close,
  }
}

function bindAs<T>(port: number, { address, before, exact }: OpenPortOptions, bind: (port: number) => Promise<T>): Promise<T> {
  if (exact) return bindExactly(address, port, bind)
  return bindOrNext(before === undefined ? [port] : [before, port], bind)
}
