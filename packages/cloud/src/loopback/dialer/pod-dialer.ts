import type { Duplex } from "node:stream"

/**
 * Connects a balancer to pods. Real pods listen on an address of this host; simulated ones have none and answer in this process,
 * so their simulation passes its own dialer.
 */
export interface PodDialer {
  /** Opens a stream to the port, which can stay open in one direction when the other has ended. Throws when nothing listens there. */
  dial(address: string, port: number, signal: AbortSignal): Promise<Duplex>
  /** Opens a flow of datagrams to the port; answers go to the listener. */
  open(address: string, port: number, listener: DatagramListener): DatagramFlow
}

/** Receives what an endpoint answers on one flow. */
export interface DatagramListener {
  receive(message: Uint8Array): void
  /** Called when the host reports that nothing listens there. */
  refused(): void
}

/** A flow of datagrams to one endpoint. */
export interface DatagramFlow {
  send(message: Uint8Array): void
  close(): void
}
