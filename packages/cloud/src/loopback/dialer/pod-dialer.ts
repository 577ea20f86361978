import type { Duplex } from "node:stream"

/**
 * How a balancer reaches a pod. Real pods listen on an address of this host; simulated ones have none and answer in this process,
 * so whoever runs them hands in a dialer of their own.
 */
export interface PodDialer {
  /** A stream of bytes to the port; it must be able to stay open in one direction when the other has ended. Throws when nobody listens there. */
  dial(address: string, port: number, signal: AbortSignal): Promise<Duplex>
  /** Datagrams to the port, and those that come back. */
  open(address: string, port: number, listener: DatagramListener): DatagramFlow
}

export interface DatagramListener {
  receive(message: Uint8Array): void
  /** The host says that nobody listens there. */
  refused(): void
}

export interface DatagramFlow {
  send(message: Uint8Array): void
  close(): void
}
