import { createSocket } from "node:dgram"
import { onAbort } from "@pilothouse/seams"
import { EndpointSocket } from "./endpoint-socket.ts"
import type { PodDialer } from "./pod-dialer.ts"

/** Datagrams that wait until the socket is connected; more are lost, as datagrams are. */
export const maxEarly = 16

/** Reaches pods that listen on an address of this host, or of a network that it is on. */
export const systemDialer: PodDialer = {
  dial: (host, port, signal) =>
    new Promise((resolve, reject) => {
      const socket = new EndpointSocket()
      socket.connect({ host, port })
      const listening = onAbort(signal, () => socket.destroy(new Error(`aborted while connecting to ${host}:${port}`)))
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
    // Datagrams that are sent before the socket is connected.
    const early: Uint8Array[] = []
    let isConnected = false
    let isClosed = false
    // A connected socket reports when nothing listens there. Any other error is a lost datagram, as datagrams are.
    // A socket that cannot connect, or has no port of its own, never sends anything: the caller has to choose another endpoint.
    const fail = (error: Error) => {
      if (!isClosed && (!isConnected || ("code" in error && error.code === "ECONNREFUSED"))) refused()
    }
    socket.on("error", fail)
    socket.on("message", (message) => receive(message))
    // The types omit that the callback also receives a failure.
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
