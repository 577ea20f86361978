import { createSocket } from "node:dgram"
import { connect } from "node:net"
import { onAbort } from "@pilothouse/seams"
import type { PodDialer } from "./pod-dialer.ts"

/** Reaches pods that listen on an address of this host, or of a network that it is on. */
export const systemDialer: PodDialer = {
  dial: (host, port, signal) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
      const listening = onAbort(signal, () => socket.destroy(new Error(`told to stop while connecting to ${host}:${port}`)))
      const fail = (cause: Error) => {
        listening[Symbol.dispose]()
        reject(cause)
      }
      socket.once("error", fail)
      socket.once("connect", () => {
        listening[Symbol.dispose]()
        socket.off("error", fail)
        resolve(socket)
      })
    }),
  open(host, port, receive) {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4")
    // A pod that does not listen answers with an ICMP error; to the client that is a lost datagram, as datagrams are.
    socket.on("error", () => {})
    socket.on("message", receive)
    return { send: (message) => socket.send(message, port, host), close: () => socket.close() }
  },
}
