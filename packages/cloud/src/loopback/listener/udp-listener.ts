import { createSocket } from "node:dgram"

/** A bound UDP socket. */
export interface UdpListener {
  readonly port: number
  send(message: Uint8Array, port: number, address: string): void
  close(): Promise<void>
}

/** Called with each datagram and its sender. */
export type Receive = (message: Uint8Array, from: { readonly address: string; readonly port: number }) => void

/** Binds the port. Throws the system's error: EACCES, EADDRINUSE, EADDRNOTAVAIL. */
export function listenUdp(address: string, port: number, receive: Receive): Promise<UdpListener> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4")
  return new Promise((resolve, reject) => {
    socket.once("error", reject)
    socket.bind({ address, port }, () => {
      socket.off("error", reject)
      // A client that has gone is no reason to stop.
      socket.on("error", () => {})
      socket.on("message", receive)
      resolve({
        port: socket.address().port,
        send: (message, to, host) => socket.send(message, to, host),
        close: () => new Promise((done) => void socket.close(() => done())),
      })
    })
  })
}
