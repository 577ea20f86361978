import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import type { TLSSocket } from "node:tls"
import { ensureServingCertificate } from "@pilothouse/apiserver"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"

/** A request as it comes to an extension server. */
export interface Received {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
  /** The common name of the client's certificate. */
  readonly client: string | undefined
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | object
}

/** What an extension server answers; "hang" is nothing, "hang up" the end of the connection. */
export type Program = (request: Received) => Answer | "hang" | "hang up"

export interface ExtensionServer extends AsyncDisposable {
  readonly port: number
  /** The PEM that its certificate is verified with: one for localhost, and not for a Service. */
  readonly ca: string
}

/** Extension servers behind one TLS port on the loopback, by the name of their Service, which a client says when it connects: "echo.aggregated.svc". */
export async function startExtensionServer(directory: string, programs: ReadonlyMap<string, Program>): Promise<ExtensionServer> {
  const seams = { files: systemFiles, clock: systemClock, random: systemRandom(), directory, name: "extension" }
  const { certificate, key } = await ensureServingCertificate(seams)
  const options = { cert: certificate, key, requestCert: true, rejectUnauthorized: false }
  const server = createServer(options, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    answer(request, response, programOf(programs, request)(received(request, Buffer.concat(chunks).toString())))
  })
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\n\r\n`)
    socket.on("error", () => {}).pipe(socket)
  })
  // The loopback as "localhost" names it, whichever family is asked for.
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    port: (server.address() as AddressInfo).port,
    ca: certificate,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((closed) => server.close(() => closed()))
    },
  }
}

function programOf(programs: ReadonlyMap<string, Program>, { socket }: IncomingMessage): Program {
  const name = String((socket as TLSSocket & { readonly servername?: string }).servername).split(".")[0] ?? ""
  return programs.get(name) ?? (() => ({ status: 500, body: `no program ${name}` }))
}

function received({ method = "", url = "", headersDistinct, socket }: IncomingMessage, body: string): Received {
  const client = (socket as TLSSocket).getPeerCertificate().subject?.CN
  return { method, url, headers: headersDistinct, body, client: typeof client === "string" ? client : undefined }
}

function answer({ socket }: IncomingMessage, response: ServerResponse, given: ReturnType<Program>): void {
  if (given === "hang") return
  if (given === "hang up") return void socket.destroy()
  const { status = 200, headers = {}, body = "" } = given
  const type = typeof body === "string" ? {} : { "content-type": "application/json" }
  response.writeHead(status, { ...type, ...(headers as Record<string, string | string[]>) })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}
