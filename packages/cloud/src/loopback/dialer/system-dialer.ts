import { createSocket } from "node:dgram"
import { onAbort } from "@pilothouse/seams"
import { EndpointSocket } from "./endpoint-socket.ts"
import type { PodDialer } from "./pod-dialer.ts"

/** Datagrams that wait for a socket to have its peer; what comes beyond is lost, as datagrams are. */
export const maxEarly = 16

/** Reaches pods that listen on an address of this host, or of a network that it is on. */
export const systemDialer: PodDialer = {
  dial: (host, port, signal) =>
    new Promise((resolve, reject) => {
      const socket = new EndpointSocket()
      socket.connect({ host, port })
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
  open(host, port, { receive, refused }) {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4")
    // What is sent before the socket knows its peer, which takes it a moment.
    const early: Uint8Array[] = []
    let isConnected = false
    let isClosed = false
    // A socket with a peer is told when nobody listens there. Anything else that goes wrong with it is a lost datagram, as datagrams are.
    // One that gets no peer, or no port of its own, never sends anything: whoever sends has to find somebody else.
    const fail = (error: Error) => {
      if (!isClosed && (!isConnected || ("code" in error && error.code === "ECONNREFUSED"))) refused()
    }
    socket.on("error", fail)
    socket.on("message", (message) => receive(message))
    // Its types leave out that it is told of a failure too.
    socket.connect(port, host, (error?: Error | null) => {
      if (error) return fail(error)
      if (isClosed) return
      isConnected = true
      for (const message of early.splice(0)) socket.send(message)
    })
    return {
      send: (message) => {
        if (isConnected) socket.send(message)
        else if (early.length < maxEarly) early.push(message)
      },
      close: () => {
        isClosed = true
        socket.close()
      },
    }
  },
}
