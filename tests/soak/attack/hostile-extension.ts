import type { AddressInfo } from "node:net"
import { createServer, type Server, type TLSSocket } from "node:tls"
import { ensureCertificates } from "@pilothouse/apiserver"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"

/** Answers one request over the bare connection. */
export type HostileAnswer = (socket: TLSSocket, request: string, body: string) => void

/** A server over TLS that answers every request with what the attack chooses, which need not be HTTP. */
export class HostileExtension implements AsyncDisposable {
  answer: HostileAnswer = (socket) => socket.destroy()
  /** Heads of the requests that came. */
  readonly requests: string[] = []
  readonly #server: Server
  readonly #sockets = new Set<TLSSocket>()
  /** In PEM: who signed its certificate for 127.0.0.1. */
  readonly authority: string

  private constructor(server: Server, authority: string) {
    this.#server = server
    this.authority = authority
    server.on("secureConnection", (socket) => {
      this.#sockets.add(socket)
      socket.on("error", () => socket.destroy())
      socket.once("close", () => this.#sockets.delete(socket))
      let text = ""
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1")
        const end = text.indexOf("\r\n\r\n")
        if (end < 0) return
        const head = text.slice(0, end)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (text.length < end + 4 + length) return
        const body = Buffer.from(text.slice(end + 4, end + 4 + length), "latin1").toString()
        text = ""
        this.requests.push(head)
        this.answer(socket, head, body)
      })
    })
  }

  static async start(directory: string): Promise<HostileExtension> {
    const seams = { files: systemFiles, clock: systemClock, random: systemRandom() }
    const { server: own, ca } = await ensureCertificates({ ...seams, directory, serviceIp: "10.0.0.1" })
    const server = createServer({ cert: own.certificate, key: own.key, ALPNProtocols: ["http/1.1"] })
    const extension = new HostileExtension(server, ca.certificate)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return extension
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Connections that the attacked server has open to it. */
  get connections(): number {
    return this.#sockets.size
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** A whole answer, the last one of its connection. */
export function answered(body: string, headers: Readonly<Record<string, string>> = {}, status = "200 OK"): HostileAnswer {
  const all = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)), connection: "close", ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return (socket) => socket.write(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`)
}

/** Bytes as they are, and then the end of the connection where there is one. */
export function raw(text: string, { ends = true } = {}): HostileAnswer {
  return (socket) => {
    socket.write(Buffer.from(text, "latin1"))
    if (ends) socket.end()
  }
}

/** A beginning, and then the same piece until the other side goes away. */
export function endless(head: string, piece: string | Buffer): HostileAnswer {
  return (socket) => {
    socket.write(head)
    const more = () => {
      while (!socket.destroyed && socket.writable && socket.write(piece));
    }
    socket.on("drain", more)
    more()
  }
}

/** A beginning, and then a byte every tenth of a second. */
export function dripping(head: string, piece = "a"): HostileAnswer {
  return (socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.writable && socket.write(piece), 100)
    socket.once("close", () => clearInterval(timer))
  }
}
